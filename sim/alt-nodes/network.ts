/** Network of the virtual alt chain. Records every account response that reaches the service, for the oracle. */
import { FOREIGN_GENESIS_HASH } from '../alt-chain/deployment.ts';
import type { AltWorld } from '../alt-chain/machine-state.ts';
import type { VirtualAltChain } from '../alt-chain/virtual-alt-chain.ts';
import {
  Network,
  type Arrival,
  type NetworkParts,
  type NodeUrl,
  type RpcCall,
  type RpcResult,
  type WireCall,
} from '../transport/network.ts';
import type { AltBackend, AltResponseObserver, CorruptedRow } from './backend.ts';
import type { AltFault } from './faults.ts';

/** An account response that reached the service: its slot, state and arrival time. */
export interface ReceivedAccounts {
  readonly slot: number;
  readonly world: AltWorld;
  readonly atMilliseconds: number;
  /** Newest slot of the sound responses that the same process had received when it sent this request. */
  readonly floor: number;
}

export interface ReceivedFleet extends Pick<ReceivedAccounts, 'slot' | 'world' | 'atMilliseconds'> {
  readonly corrupted: readonly CorruptedRow[];
}

/** Newest slot of the sound responses to one process: now, and when the request was sent. */
interface Floor {
  readonly life: { slot: number };
  readonly whenSent: number;
}

export class AltNetwork extends Network<AltBackend, AltFault, Floor> {
  readonly #chain: VirtualAltChain;
  /** In order of arrival. */
  readonly receivedAccounts: ReceivedAccounts[] = [];
  readonly receivedFleets: ReceivedFleet[] = [];

  constructor(chain: VirtualAltChain, parts: NetworkParts<AltBackend, AltFault>) {
    super(parts);
    this.#chain = chain;
  }

  protected beginLife(): () => Floor {
    const life = { slot: 0 };
    return () => ({ life, whenSent: life.slot });
  }

  protected respond(
    url: NodeUrl<AltBackend>,
    payload: WireCall | readonly WireCall[],
    fault: AltFault | undefined,
    floor: Floor,
  ): { text: string; arrive: Arrival } {
    const call = payload as WireCall;
    let accounts: number | undefined;
    let fleet: Pick<ReceivedFleet, 'slot' | 'corrupted'> | undefined;
    const observer: AltResponseObserver = {
      accounts: (slot) => (accounts = slot),
      fleet: (slot, corrupted) => (fleet = { slot, corrupted }),
    };
    const result = url.isForeign
      ? respondForeign(call, this.#chain.slot)
      : this.parts.random.pick(url.backends).respond(call, fault, observer);
    return {
      text: JSON.stringify({ jsonrpc: '2.0', id: call.id, ...result }),
      arrive: (isSound) => this.#note(accounts, fleet, isSound, floor),
    };
  }

  #note(
    accounts: number | undefined,
    fleet: Pick<ReceivedFleet, 'slot' | 'corrupted'> | undefined,
    isSound: boolean,
    { life, whenSent }: Floor,
  ): void {
    const chain = this.#chain;
    const atMilliseconds = this.parts.time.nowMilliseconds();
    if (accounts !== undefined) {
      this.receivedAccounts.push({ slot: accounts, world: chain.worldAt(accounts), atMilliseconds, floor: whenSent });
      if (isSound) life.slot = Math.max(life.slot, accounts);
    }
    if (fleet !== undefined) this.receivedFleets.push({ ...fleet, world: chain.worldAt(fleet.slot), atMilliseconds });
  }
}

/** Responds as a cluster without any of our accounts. */
function respondForeign({ method, params }: RpcCall, slot: number): RpcResult {
  const nothing: Readonly<Record<string, unknown>> = {
    getGenesisHash: FOREIGN_GENESIS_HASH,
    getSlot: slot,
    getFirstAvailableBlock: 0,
    getMultipleAccounts: { context: { slot }, value: [params[0]].flat().map(() => null) },
    getProgramAccounts: { context: { slot }, value: [] },
    getSignaturesForAddress: [],
  };
  return { result: nothing[method] ?? null };
}
