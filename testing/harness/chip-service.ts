/**
 * Test harness of the chip routes: the whole service with a fake chain, a database in memory and a stopped clock, in the state of a published
 * case (evidence, `requests.json`). Requests go over a socket, byte for byte.
 */
import { createHash } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { expect } from 'vitest';
import { createMemoryStore } from '../fixtures/memory-store.ts';
import { buildApp, type AppOptions } from '../../src/app.ts';
import type { ChallengeRecord } from '../../src/domain/evidence/challenge-record.ts';
import { vectorNamespace, vectorRules, type VectorWorld } from '../fixtures/evidence-vectors.ts';
import type { Hex } from '../../src/domain/evidence/signed-bytes.ts';
import { chainUnreadable, Fault } from '../../src/domain/faults.ts';
import { parseAddress, type MachineId } from '../../src/domain/identifiers/identifiers.ts';
import { ABSENT, present } from '../../src/domain/read-result.ts';
import type { DeploymentFacts, MachineSnapshot } from '../../src/domain/machine/machine-facts.ts';
import type { MainChainPorts } from '../../src/ports/ctx.ts';
import type { Store } from '../../src/ports/store.ts';
import { conformanceOfApp } from './openapi-conformance.ts';
import { sendRaw, type RawResponse } from './raw-http.ts';
import { createStubCtx, type StubCtx } from '../fakes/stub-ctx.ts';

export type Headers = readonly (readonly [name: string, value: string])[];

export const CHALLENGE_PATH = '/v1/verify/chip/challenge';
export const EVIDENCE_PATH = '/v1/verify/chip/evidence';
export const NONCE = new Uint8Array(32).fill(0xa5);

export interface ChipHarness {
  readonly ctx: StubCtx;
  readonly store: Store;
  /** Facts that the chain returns; a test may change them. */
  readonly snapshot: { -readonly [K in keyof MachineSnapshot]?: MachineSnapshot[K] };
  /** Number of chain reads. */
  reads: number;
  ask(method: string, path: string, headers: Headers, body: Uint8Array | string): Promise<RawResponse>;
  /** Sends a request and returns status and code. Asserts the headers of evidence 2, and that neither error nor log contains sent data. */
  judge(method: string, path: string, headers: Headers, body: Uint8Array | string): Promise<string>;
  /** Address of the service. */
  readonly url: string;
  /** Injects a request without a socket. */
  inject: FastifyInstance['inject'];
  close(): Promise<void>;
}

export const jsonHeaders = (token: string): Headers => [
  ['Authorization', `Bearer ${token}`],
  ['Content-Type', 'application/json'],
];

export async function startChipHarness(world: VectorWorld, options: AppOptions = {}): Promise<ChipHarness> {
  const memory = await createMemoryStore();
  const store = world.store === 'available' ? memory : withoutWrites(memory);
  const machine = world.machine ?? undefined;
  const harness = {
    snapshot: {
      owner: machine === undefined ? ABSENT : present(parseAddress(machine.owner)!),
      controller: machine === undefined ? ABSENT : present(parseAddress(machine.controller)!),
      generalPaused: present(machine?.deactivated ?? false),
      relocating: present(false),
      homeOrdinal: present(machine === undefined ? 0 : 1),
    } as ChipHarness['snapshot'],
    reads: 0,
  };
  const chain = {
    chainId: Number(world.chainId),
    async readMachineUncached(id: MachineId) {
      harness.reads += 1;
      if (world.chain === 'unreachable') throw chainUnreadable('main', 'transport');
      return { snapshot: { id, ...harness.snapshot }, deployment: { localOrdinal: 1 } as DeploymentFacts };
    },
  };
  const ctx = createStubCtx({
    main: { chain } as unknown as MainChainPorts,
    namespace: vectorNamespace,
    store,
    onboarding: {
      trust: vectorRules.trust,
      onboardingTokens: [{ sha256: createHash('sha256').update(world.onboardingToken).digest('hex') }],
      challengeLifetimeSeconds: 270,
      storesEvidence: true,
      createNonce: () => NONCE,
    },
  });
  ctx.time.milliseconds = world.now * 1_000;
  await storeChallenge(memory, world);
  const app = await buildApp(ctx, { rateLimits: 'off', limiterMemoryBytes: 1_000_000, ...options });
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  const conformance = await conformanceOfApp(app, ctx);

  async function send(method: string, path: string, headers: Headers, body: Uint8Array | string): Promise<RawResponse> {
    const bytes = Buffer.from(body);
    const own = [['Host', 'localhost'], ['Connection', 'close'], ...headers];
    const isFramed = headers.some(([name]) => /^(?:content-length|transfer-encoding)$/i.test(name));
    if (!isFramed) own.push(['Content-Length', String(bytes.length)]);
    const head = own.map(([name, value]) => `${name}: ${value}\r\n`).join('');
    const { responses } = await sendRaw(port, `${method} ${path} HTTP/1.1\r\n${head}\r\n${bytes.toString('latin1')}`);
    expect(responses).toHaveLength(1);
    return responses[0]!;
  }

  /** Matches the token, and texts long enough to be part of a nonce, signature, certificate, id or key. */
  const secret = new RegExp(`${world.onboardingToken}|secret|[0-9A-Fa-f]{16}|[\\w-]{40}`);

  let searchedLines = 0;

  return Object.assign(harness, {
    url: `http://127.0.0.1:${port}`,
    ctx,
    store: memory,
    ask: send,
    inject: app.inject.bind(app),
    async judge(method: string, path: string, headers: Headers, body: Uint8Array | string) {
      const { status, headers: received, text } = await send(method, path, headers, body);
      if (method === 'POST') conformance.expectDocumented(method, path, { status, headers: received, text });
      const { 'content-type': type, 'cache-control': caching, pragma } = received;
      expect([type, caching, pragma]).toEqual(['application/json; charset=utf-8', 'no-store', 'no-cache']);
      expect(JSON.stringify(ctx.lines.slice(searchedLines))).not.toMatch(secret);
      searchedLines = ctx.lines.length;
      if (status < 400) return String(status);
      expect(text).not.toMatch(secret);
      const { detail } = JSON.parse(text) as { detail: { code: string; message: string } };
      expect(text).toBe(JSON.stringify({ detail: { code: detail.code, message: detail.message } }));
      return `${status} ${detail.code}`;
    },
    async close() {
      await app.close();
      await memory.close();
    },
  });
}

function withoutWrites(store: Store): Store {
  const refuse = async () => {
    throw new Fault('StoreUnavailable', {});
  };
  return { ...store, insertChallenge: refuse, consumeChallenge: refuse };
}

async function storeChallenge(store: Store, { challenge }: VectorWorld): Promise<void> {
  const record: Omit<ChallengeRecord, 'consumedBy'> = {
    nonceHash: `0x${challenge.nonceSha256}`,
    machineId: BigInt(challenge.machineId) as MachineId,
    didController: parseAddress(challenge.didController)!,
    chainId: Number(challenge.chainId),
    expiresAt: challenge.expiresAt,
  };
  const issuedAt = challenge.expiresAt - 300;
  await store.insertChallenge({ ...record, issuedAt }, { perMachine: 1, total: 1 });
  if (challenge.consumedBy === null) return;
  const outcome = await store.consumeChallenge(record.nonceHash, {
    receiptId: `0x${'0'.repeat(64)}`,
    evidenceHash: challenge.consumedBy as Hex,
    machineId: record.machineId,
    chipRef: `0x${'0'.repeat(64)}`,
    leafFingerprint: `0x${'0'.repeat(64)}`,
    leafSerial: '0x01',
    controller: record.didController,
    receivedAt: issuedAt,
    evidence: undefined,
  });
  expect(outcome).toEqual({ state: 'written' });
}
