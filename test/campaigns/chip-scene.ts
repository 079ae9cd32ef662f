/** A service as a process of its own that takes chips of the devnet and can be killed, and documents that are really signed for its challenges. */
import { spawn, type ChildProcess } from 'node:child_process';
import { createPrivateKey } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream, readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { createInterface } from 'node:readline';
import type { Devnet } from '../../devnet/start-devnet.ts';
import type { MachineFixture } from '../../devnet/fixtures.ts';
import { parseCertificateFile } from '../../src/domain/evidence/certificate/certificate-file.ts';
import { parseCertificate } from '../../src/domain/evidence/certificate/certificate.ts';
import { toLowS } from '../../src/domain/evidence/chip-answer.ts';
import {
  buildEvidence,
  prepareChipProof,
  prepareControllerProof,
  type BuiltEvidence,
} from '../../src/domain/evidence/evidence-building.ts';
import { p256 } from '@noble/curves/nist.js';
import { DEFAULT_NAMESPACE } from '../../src/domain/namespace.ts';
import { createMainChainKey } from '../../src/domain/signatures/signing-keys.ts';

export interface Answer {
  readonly status: number;
  readonly text: string;
}

export interface ChipService {
  /** Undefined: no answer, or not a whole one. */
  post(path: 'challenge' | 'evidence', body: string | Uint8Array): Promise<Answer | undefined>;
  readonly process: ChildProcess;
  /** Ends all connections: what a caller presents is in memory as long as it is connected. */
  hangUp(): void;
  kill(): Promise<void>;
}

export interface ChipServiceOptions {
  readonly databaseUrl: string;
  readonly connections: number;
  readonly logFile: string;
  /** Of Node. */
  readonly flags?: readonly string[];
  readonly cwd?: string;
}

export async function startChipService(devnet: Devnet, options: ChipServiceOptions): Promise<ChipService> {
  const { databaseUrl, connections, logFile, flags = [], cwd } = options;
  const settings = {
    DATABASE_URL: databaseUrl,
    PORT: '0',
    ADMIN_PORT: '0',
    RATE_LIMITS: 'off',
    LOG_LEVEL: 'trace',
    LOG_FORMAT: 'json',
  };
  const svc = `${import.meta.dirname}/../../cli/svc.ts`;
  const child = spawn(process.execPath, [...flags, svc, 'serve'], {
    cwd,
    env: { ...process.env, ...devnet.env, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const log = createWriteStream(logFile, { flags: 'a' });
  child.stderr.pipe(log);
  const url = await readUrl(child, log);
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  return {
    process: child,
    hangUp: () => agent.destroy(),
    post: (path, body) => post(`${url}/v1/verify/chip/${path}`, agent, devnet.env['ONBOARDING_TOKENS']!, body),
    async kill() {
      const exit = once(child, 'exit');
      child.kill('SIGKILL');
      await exit;
      agent.destroy();
    },
  };
}

async function readUrl(child: ChildProcess, log: NodeJS.WritableStream): Promise<string> {
  const lines = createInterface({ input: child.stdout! });
  return new Promise((resolve, reject) => {
    lines.on('line', (line) => {
      log.write(`${line}\n`);
      if (line.startsWith('listening on ')) resolve(line.slice('listening on '.length));
    });
    child.on('exit', () => reject(new Error('the service did not start')));
  });
}

function post(url: string, agent: Agent, token: string, body: string | Uint8Array): Promise<Answer | undefined> {
  return new Promise((resolve) => {
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    };
    const call = request(url, { method: 'POST', agent, headers }, (response) => {
      response
        .setEncoding('utf8')
        .toArray()
        .then(
          (parts) => resolve({ status: response.statusCode!, text: parts.join('') }),
          () => resolve(undefined),
        );
    });
    call.on('error', () => resolve(undefined));
    call.end(body);
  });
}

/** Signs for the challenges of the devnet's machines; no two documents are the same. */
export function createProvider(devnet: Devnet): (challenge: unknown, machine: MachineFixture) => BuiltEvidence {
  const der = parseCertificateFile(readFileSync(devnet.fixtures.chip.certificate))!;
  const leaf = { der, publicKey: parseCertificate(der)!.publicKey.key.bytes };
  const key = createPrivateKey(readFileSync(devnet.fixtures.chip.key));
  const secret = Buffer.from(key.export({ format: 'jwk' }).d!, 'base64url');
  return (challenge, machine) => {
    const now = Date.now() / 1000;
    const chip = prepareChipProof(challenge, leaf, DEFAULT_NAMESPACE, now);
    const { r, s } = p256.Signature.fromBytes(p256.sign(chip.prehash, secret, { prehash: false, extraEntropy: true }));
    const controller = createMainChainKey(Buffer.from((machine.controllerKey ?? machine.ownerKey).slice(2), 'hex'));
    const proof = prepareControllerProof(chip, toLowS(r, s)!, DEFAULT_NAMESPACE, now);
    return buildEvidence(proof, controller.sign(proof.message), DEFAULT_NAMESPACE, now);
  };
}
