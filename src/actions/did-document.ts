/** Facts of a machine's DID document: who signs for it, where its token is, and its service endpoints (`GET /identifiers/{did}`, decisions 4). */
import type { Address, MachineId } from '../domain/identifiers/identifiers.ts';
import type { AltKey } from '../domain/identifiers/alt-identifiers.ts';
import { findDidController } from '../domain/machine/did-controller.ts';
import type { BlockRef, ServiceEndpoint } from '../domain/machine/machine-facts.ts';
import { unwrap } from '../domain/read-result.ts';
import type { Ctx } from '../ports/ctx.ts';
import { findMachine } from './find-machine.ts';

export interface DidFacts {
  readonly id: MachineId;
  readonly block: BlockRef;
  /** The account that signs for the machine. */
  readonly signer:
    | { readonly chain: 'main'; readonly chainId: number; readonly registry: Address; readonly address: Address }
    | { readonly chain: 'alt'; readonly genesisHash: AltKey; readonly key: AltKey };
  readonly serviceEndpoints: readonly ServiceEndpoint[];
}

/** Returns the facts. Of an alt-chain machine only the owner signs. Throws `ChainUnreadable` where a fact is not known. */
export async function getDidFacts(ctx: Ctx, id: MachineId): Promise<DidFacts> {
  const { main, snapshot, alt } = await findMachine(ctx, id, { firstEvents: false });
  const { block } = snapshot;
  if (alt !== undefined) {
    const { owner, serviceEndpoints } = alt.machine;
    return { id, block, signer: { chain: 'alt', genesisHash: alt.chain.genesisHash, key: owner }, serviceEndpoints };
  }
  const { chainId, machineRegistry: registry } = main.chain;
  const address = findDidController(snapshot, unwrap(snapshot.owner));
  const { serviceEndpoints } = unwrap(snapshot.document);
  return { id, block, signer: { chain: 'main', chainId, registry, address }, serviceEndpoints };
}
