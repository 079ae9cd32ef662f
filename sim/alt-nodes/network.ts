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
  /**
   * Newest slot of the sound responses that the same process had examined when it sent this request, at most the newest that it had asked for:
   * it may have refused one whose block time it could not read.
   */
  readonly floor: number;
}

export interface ReceivedFleet extends Pick<ReceivedAccounts, 'slot' | 'world' | 'atMilliseconds'> {
  readonly corrupted: readonly CorruptedRow[];
}

/** A sound response to one process whose slot is newer than all before. */
interface Rise {
  readonly slot: number;
  readonly atMilliseconds: number;
}

interface Life {
  readonly rises: Rise[];
  /** Newest slot that the process has asked for. */
  askedSlot: number;
}

interface Floor {
  readonly life: Life;
  /** Newest slot that the process had examined when the request was sent. */
  readonly whenSent: number;
}

/** Time in which a process has certainly examined a response; a slot that does not fit the time takes a call of its own. */
const EXAMINATION_MILLISECONDS = 1_000;

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
    const life: Life = { rises: [], askedSlot: 0 };
    return () => ({ life, whenSent: this.#newestSeen(life.rises) });
  }

  #newestSeen(rises: readonly Rise[]): number {
    const examined = this.parts.time.nowMilliseconds() - EXAMINATION_MILLISECONDS;
    return rises.findLast(({ atMilliseconds }) => atMilliseconds <= examined)?.slot ?? 0;
  }

  protected respond(
    url: NodeUrl<AltBackend>,
    payload: WireCall | readonly WireCall[],
    fault: AltFault | undefined,
    { life, whenSent }: Floor,
  ): { text: string; arrive: Arrival } {
    const call = payload as WireCall;
    life.askedSlot = Math.max(life.askedSlot, minContextSlotOf(call));
    const floor = Math.min(whenSent, life.askedSlot);
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
      arrive: (isSound) => this.#note(accounts, fleet, isSound, life.rises, floor),
    };
  }

  #note(
    accounts: number | undefined,
    fleet: Pick<ReceivedFleet, 'slot' | 'corrupted'> | undefined,
    isSound: boolean,
    rises: Rise[],
    floor: number,
  ): void {
    const chain = this.#chain;
    const atMilliseconds = this.parts.time.nowMilliseconds();
    if (accounts !== undefined) {
      this.receivedAccounts.push({ slot: accounts, world: chain.worldAt(accounts), atMilliseconds, floor });
      if (isSound && accounts > (rises.at(-1)?.slot ?? 0)) rises.push({ slot: accounts, atMilliseconds });
    }
    if (fleet !== undefined) this.receivedFleets.push({ ...fleet, world: chain.worldAt(fleet.slot), atMilliseconds });
  }
}

function minContextSlotOf({ params }: WireCall): number {
  const { minContextSlot = 0 } = Object(params.at(-1)) as { readonly minContextSlot?: number };
  return minContextSlot;
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
