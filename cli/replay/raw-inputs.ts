/** Inputs of a rating from the chains: those of the main chain, and for a machine of the alt chain its log there. */
import { createRpc } from './json-rpc.ts';
import { readRawAltLog, type AltLocation } from './raw-alt-log.ts';
import { readAltHomeState, readRawMachine, type ChainLocation, type RawMachine } from './raw-chain.ts';
import { ReplayFailure } from './replay-failure.ts';
import type { ServedInputs } from './served-explanation.ts';

export interface ReplayedChains {
  readonly chain: ChainLocation & {
    /** Tried in order. */
    readonly rpcUrls: readonly string[];
    /** Contract that records the home of a machine. */
    readonly crossChainMirror: string;
  };
  /** Required for machines of the alt chain. */
  readonly altChain?: AltLocation & { readonly rpcUrls: readonly string[] };
}

export interface RawInputs extends Omit<RawMachine, 'accepted' | 'kyb'> {
  readonly operatorVerified: boolean;
  /** Protocol chain ordinal; undefined: the home is the main chain. */
  readonly home: bigint | undefined;
  /** Owner of the machine account; undefined on the main chain. */
  readonly altOwner: string | undefined;
}

export async function readRaw(
  { chain, altChain }: ReplayedChains,
  transport: { readonly fetch: typeof fetch; readonly wait: (milliseconds: number) => Promise<void> },
  machineId: bigint,
  { block, slot, now, operatorVerified }: ServedInputs,
): Promise<RawInputs> {
  const rpc = createRpc({ ...transport, urls: chain.rpcUrls });
  if (slot === undefined) {
    const { accepted, kyb, ...machine } = await readRawMachine(rpc, chain, machineId, block);
    const isVerified =
      kyb !== undefined && kyb.revokedAt === 0n && (kyb.expiresAt === 0n || BigInt(now) < kyb.expiresAt);
    return { ...machine, operatorVerified: accepted && isVerified, home: undefined, altOwner: undefined };
  }
  if (altChain === undefined) {
    throw new ReplayFailure(
      'refused',
      'the machine is homed on the alt chain, but no node of that chain is configured',
    );
  }
  const { home, ...mainState } = await readAltHomeState(rpc, chain, machineId, block);
  const altRpc = createRpc({ ...transport, urls: altChain.rpcUrls });
  const { ordinal, owner: altOwner, ...log } = await readRawAltLog(altRpc, altChain, machineId, slot, transport.wait);
  // A new machine exists there before the main chain records it.
  const noLogs = { hands: [], changedHandsAt: null, chipIssuedAt: null, claimEnds: [] };
  return { ...mainState, ...log, ...noLogs, altOwner, operatorVerified, home: home === 0n ? ordinal : home };
}
