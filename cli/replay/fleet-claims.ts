/** Claims of all other machines for `svc replay --fleet`: an account is assigned to one machine at a time, over both home chains. */
import { createRpc } from './json-rpc.ts';
import { makeClaims, type PayoutText } from './payout-claims.ts';
import { listAltMachines, readRawAltLog, type AltLocation } from './raw-alt-log.ts';
import { listMainMachines, readCitingRecords, type ChainLocation, type PinnedBlock } from './raw-chain.ts';
import type { FleetClaim } from './replay-verdicts.ts';
import type { SourceTransport } from './raw-sources.ts';

export interface FleetInput {
  readonly chain: ChainLocation & { readonly rpcUrls: readonly string[] };
  readonly altChain: (AltLocation & { readonly rpcUrls: readonly string[] }) | undefined;
  /** Text of the machine that is replayed; those of the others differ in the id. */
  readonly text: PayoutText;
  readonly except: bigint;
  readonly block: PinnedBlock;
  readonly transport: SourceTransport;
}

/** Reads every machine of both home chains. Throws `ReplayFailure`. */
export async function readFleetClaims(input: FleetInput): Promise<readonly FleetClaim[]> {
  const { chain, altChain, text, except, block, transport } = input;
  const toText = (id: bigint): PayoutText => ({ ...text, did: text.did.replace(/[0-9]+$/, String(id)) });
  const found: FleetClaim[] = [];
  const rpc = createRpc({ ...transport, urls: chain.rpcUrls });
  for (const id of await listMainMachines(rpc, chain, block)) {
    if (id === except) continue;
    const { citing, claimEnds } = await readCitingRecords(rpc, chain, id, block);
    found.push(...makeClaims(citing, claimEnds, toText(id)).map((claim) => ({ ...claim, home: 'main' as const })));
  }
  if (altChain === undefined) return found;
  const altRpc = createRpc({ ...transport, urls: altChain.rpcUrls });
  for (const id of await listAltMachines(altRpc, altChain)) {
    if (id === except) continue;
    const { citing } = await readRawAltLog(altRpc, altChain, id, undefined, transport.wait);
    found.push(...makeClaims(citing, [], toText(id)).map((claim) => ({ ...claim, home: 'alt' as const })));
  }
  return found;
}
