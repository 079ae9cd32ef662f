/** Chip service as a separate process on the devnet that can be killed, and a provider that signs documents for its challenges. */
import { spawn, type ChildProcess } from 'node:child_process';
import { createPrivateKey, sign } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Devnet } from '../../devnet/start-devnet.ts';
import type { MachineFixture } from '../../devnet/fixtures.ts';
import { parseCertificateFile } from '../../src/domain/evidence/certificate/certificate-file.ts';
import { parseCertificate } from '../../src/domain/evidence/certificate/certificate.ts';
import { toLowS } from '../../src/domain/evidence/chip-signature.ts';
import { buildEvidence, prepareChipProof, type BuiltEvidence } from '../../src/domain/evidence/evidence-building.ts';
import { toNumber } from '../../src/domain/evidence/low-s.ts';
import { chipPreimage, controllerMessage, toHex, transcriptBytes } from '../../src/domain/evidence/signed-bytes.ts';
import { DEFAULT_NAMESPACE } from '../../src/domain/identifiers/namespace.ts';
import { createMainChainKey, type MainChainKey } from '../../testing/fixtures/signing-keys.ts';
import { openPipelinedPosts, type PostResponse } from './pipelined-posts.ts';

export interface ChipService {
  /** Posts over a connection, by default the first. Requests of different connections race. Resolves with undefined without a complete response. */
  post(
    path: 'challenge' | 'evidence',
    body: string | Uint8Array,
    connection?: number,
  ): Promise<PostResponse | undefined>;
  readonly process: ChildProcess;
  /** Address of the public port. */
  readonly url: string;
  /** Closes all connections. */
  disconnect(): void;
  kill(): Promise<void>;
}

export interface ChipServiceOptions {
  readonly databaseUrl: string;
  readonly connections: number;
  readonly logFile: string;
  /** Command-line flags of Node. */
  readonly flags?: readonly string[];
  readonly cwd?: string;
}

const SCALAR_BYTES = 32;

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
  const log = openSync(logFile, 'a');
  const child = spawn(process.execPath, [...flags, svc, 'serve'], {
    cwd,
    env: { ...process.env, ...devnet.env, ...settings },
    stdio: ['ignore', 'pipe', log],
  });
  closeSync(log);
  const url = await readUrl(child);
  const posts = await openPipelinedPosts(url, devnet.env['ONBOARDING_TOKENS']!, connections);
  return {
    process: child,
    url,
    disconnect: () => posts.disconnect(),
    post: (path, body, connection = 0) => posts.post(connection, `/v1/verify/chip/${path}`, body),
    async kill() {
      const isGone = child.exitCode !== null || child.signalCode !== null;
      const exit = isGone ? undefined : once(child, 'exit');
      child.kill('SIGKILL');
      await exit;
      posts.disconnect();
    },
  };
}

async function readUrl(child: ChildProcess): Promise<string> {
  const lines = createInterface({ input: child.stdout! });
  return new Promise((resolve, reject) => {
    lines.on('line', (line) => {
      if (line.startsWith('listening on ')) resolve(line.slice('listening on '.length));
    });
    child.on('exit', () => reject(new Error('the service did not start')));
  });
}

/** Returns a function that signs documents for challenges of the devnet's machines; no two documents are equal. */
export function createProvider(devnet: Devnet): (challenge: unknown, machine: MachineFixture) => BuiltEvidence {
  const der = parseCertificateFile(readFileSync(devnet.fixtures.chip.certificate))!;
  const leaf = { der, publicKey: parseCertificate(der)!.publicKey.key.bytes };
  const chipKey = createPrivateKey(readFileSync(devnet.fixtures.chip.key));
  const controllers = new Map<string, MainChainKey>();
  const controllerOf = ({ controllerKey, ownerKey }: MachineFixture) => {
    const secret = controllerKey ?? ownerKey;
    const known = controllers.get(secret) ?? createMainChainKey(Buffer.from(secret.slice(2), 'hex'));
    controllers.set(secret, known);
    return known;
  };
  return (challenge, machine) => {
    const now = Date.now() / 1000;
    const chip = prepareChipProof(challenge, leaf, DEFAULT_NAMESPACE, now);
    const transcript = transcriptBytes(chip.transcript);
    const rs = sign('sha256', chipPreimage(transcript, DEFAULT_NAMESPACE), {
      key: chipKey,
      dsaEncoding: 'ieee-p1363',
    });
    const lowS = toLowS(toNumber(rs.subarray(0, SCALAR_BYTES)), toNumber(rs.subarray(SCALAR_BYTES)))!;
    const chipSignature = toHex(lowS);
    const message = controllerMessage(transcript, chipSignature, DEFAULT_NAMESPACE);
    const proof = { ...chip, chipSignature, message };
    return buildEvidence(proof, controllerOf(machine).sign(message), DEFAULT_NAMESPACE, now);
  };
}
