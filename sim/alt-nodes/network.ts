/** Which slots was the service told? Every answer about accounts that arrives is remembered for the oracle. */
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
import type { AltBackend, AltWitness, SpoiledRow } from './backend.ts';
import type { AltFault } from './faults.ts';

/** Accounts that the service was told, of which slot, and when they arrived. */
export interface ToldAccounts {
  readonly slot: number;
  readonly world: AltWorld;
  readonly atMilliseconds: number;
  /** The newest slot that a sound answer had told the same life before this was asked for. */
  readonly floor: number;
}

export interface ToldFleet extends Pick<ToldAccounts, 'slot' | 'world' | 'atMilliseconds'> {
  readonly spoiled: readonly SpoiledRow[];
}

/** The newest slot that a life has been told soundly: now, and when it asked. */
interface Floor {
  readonly life: { slot: number };
  readonly whenAsked: number;
}

export class AltNetwork extends Network<AltBackend, AltFault, Floor> {
  readonly #chain: VirtualAltChain;
  /** In order of arrival. */
  readonly told: ToldAccounts[] = [];
  readonly toldFleets: ToldFleet[] = [];

  constructor(chain: VirtualAltChain, parts: NetworkParts<AltBackend, AltFault>) {
    super(parts);
    this.#chain = chain;
  }

  protected beginLife(): () => Floor {
    const life = { slot: 0 };
    return () => ({ life, whenAsked: life.slot });
  }

  protected answer(
    url: NodeUrl<AltBackend>,
    question: WireCall | readonly WireCall[],
    fault: AltFault | undefined,
    floor: Floor,
  ): { text: string; arrive: Arrival } {
    const call = question as WireCall;
    let accounts: number | undefined;
    let fleet: Pick<ToldFleet, 'slot' | 'spoiled'> | undefined;
    const witness: AltWitness = {
      accounts: (slot) => (accounts = slot),
      fleet: (slot, spoiled) => (fleet = { slot, spoiled }),
    };
    const result = url.isForeign
      ? answerForeign(call, this.#chain.slot)
      : this.parts.random.pick(url.backends).answer(call, fault, witness);
    return {
      text: JSON.stringify({ jsonrpc: '2.0', id: call.id, ...result }),
      arrive: (isSound) => this.#note(accounts, fleet, isSound, floor),
    };
  }

  #note(
    accounts: number | undefined,
    fleet: Pick<ToldFleet, 'slot' | 'spoiled'> | undefined,
    isSound: boolean,
    { life, whenAsked }: Floor,
  ): void {
    const chain = this.#chain;
    const atMilliseconds = this.parts.time.nowMilliseconds();
    if (accounts !== undefined) {
      this.told.push({ slot: accounts, world: chain.worldAt(accounts), atMilliseconds, floor: whenAsked });
      if (isSound) life.slot = Math.max(life.slot, accounts);
    }
    if (fleet !== undefined) this.toldFleets.push({ ...fleet, world: chain.worldAt(fleet.slot), atMilliseconds });
  }
}

/** A cluster on which there is nothing of ours. */
function answerForeign({ method, params }: RpcCall, slot: number): RpcResult {
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
