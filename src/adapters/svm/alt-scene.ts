/** What does a test of the alt-chain adapter stand on? Test support: a clock that a test moves, a log that remembers, short limits. */
import { createAltChain, type AltChainAdapter, type AltChainConfig } from './create-alt-chain.ts';
import type { SvmLimits } from './limits.ts';
import { bindingsFile, programOf, programsFile, vectorPrograms } from './svm-vectors.ts';
import { OPERATOR_BINDING_DISCRIMINATOR } from './accounts/operator-binding.ts';
import type { AltKey } from '../../domain/alt-identifiers.ts';

/** Waits that a test may really wait for, and deadlines that a busy machine does not miss. */
export const SHORT_LIMITS: Partial<SvmLimits> = {
  requestTimeoutMilliseconds: 10_000,
  readTimeoutMilliseconds: 20_000,
  indexRequestTimeoutMilliseconds: 10_000,
  indexReadTimeoutMilliseconds: 20_000,
  waitMilliseconds: 1,
  firstPauseMilliseconds: 0,
  maxPauseMilliseconds: 0,
};

export interface AltScene {
  readonly time: { milliseconds: number };
  readonly lines: { readonly level: string; readonly fields: object; readonly message: string }[];
  /** Closed with the scene. */
  open(overrides?: AltSceneOverrides): AltChainAdapter;
  close(): Promise<void>;
}

export interface AltSceneOverrides extends Partial<AltChainConfig> {
  readonly limits?: Partial<SvmLimits>;
  readonly checksProgramAccounts?: boolean;
}

/** The programs of the vectors, at the nodes of these URLs. */
export function createAltScene(rpcUrls: readonly string[], genesisHash: string): AltScene {
  const time = { milliseconds: 1_790_000_000_000 };
  const lines: { level: string; fields: object; message: string }[] = [];
  const record = (level: string) => (fields: object, message: string) => void lines.push({ level, fields, message });
  const opened: AltChainAdapter[] = [];
  const { subscriptionTerminal: subscription, ...programs } = vectorPrograms;
  return {
    time,
    lines,
    open({ limits, checksProgramAccounts, ...overrides } = {}) {
      const config: AltChainConfig = {
        rpcUrls,
        genesisHash: genesisHash as AltKey,
        ordinal: programsFile.protocolChainId,
        programs: { ...programs, subscription, infoDesk: programOf('info_desk') },
        binding: {
          program: programOf('address_binding'),
          seed: bindingsFile.seedPrefix,
          discriminator: OPERATOR_BINDING_DISCRIMINATOR,
        },
        ...overrides,
      };
      const adapter = createAltChain(config, {
        clock: { nowMilliseconds: () => time.milliseconds },
        log: { info: record('info'), warn: record('warn'), error: record('error') },
        limits: { ...SHORT_LIMITS, ...limits },
        checksProgramAccounts,
      });
      opened.push(adapter);
      return adapter;
    },
    async close() {
      await Promise.all(opened.map((adapter) => adapter.close()));
    },
  };
}
