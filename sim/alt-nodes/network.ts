/**
 * How does the service reach the nodes of the alt chain? As it reaches those of the main chain: through URLs, behind each of which one or several
 * nodes answer; an exchange takes its time and may fail as a whole.
 */
import type { HttpAnswer, PostRpc } from '../../src/adapters/rpc/http-post.ts';
import { FOREIGN_GENESIS_HASH } from '../alt-chain/deployment.ts';
import type { AltWorld } from '../alt-chain/machine-state.ts';
import type { VirtualAltChain } from '../alt-chain/virtual-alt-chain.ts';
import type { RpcCall, RpcResult } from '../nodes/backend.ts';
import type { Random } from '../random.ts';
import type { Trace } from '../trace.ts';
import type { VirtualTime } from '../virtual-time.ts';
import type { AltBackend, AltWitness, SpoiledRow } from './backend.ts';
import type { AltFault, AltFaults } from './faults.ts';

export interface AltNodeUrl {
  readonly backends: readonly AltBackend[];
  /** Every request fails. */
  isDown: boolean;
  /** Another cluster answers here; only ever from a start of the service on. */
  isForeign: boolean;
}

export interface AltNetworkParts {
  readonly chain: VirtualAltChain;
  readonly urls: readonly AltNodeUrl[];
  readonly faults: AltFaults;
  readonly random: Random;
  readonly time: VirtualTime;
  readonly trace: Trace;
}

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

interface Exchange {
  readonly answer: HttpAnswer | Error;
  readonly milliseconds: number;
  readonly accounts: number | undefined;
  readonly fleet: { readonly slot: number; readonly spoiled: readonly SpoiledRow[] } | undefined;
  readonly isSound: boolean;
}

const HANG_MILLISECONDS = 3_600_000;

export class AltNetwork {
  readonly #parts: AltNetworkParts;
  /** In order of arrival. */
  readonly told: ToldAccounts[] = [];
  readonly toldFleets: ToldFleet[] = [];
  exchanges = 0;

  constructor(parts: AltNetworkParts) {
    this.#parts = parts;
  }

  get rpcUrls(): string[] {
    return this.#parts.urls.map((_, i) => `http://alt-node-${i}`);
  }

  /** The transport of one life of the service; after its death nothing arrives any more. */
  createPost(isAlive: () => boolean): PostRpc {
    let floor = 0;
    return (node, body, { signal }) =>
      new Promise((resolve, reject) => {
        if (signal.aborted) return reject(new Error('aborted'));
        const url = this.#parts.urls[Number(node.origin.slice('http://alt-node-'.length))]!;
        const floorBefore = floor;
        const exchange = this.#exchange(url, body);
        const abort = () => {
          cancel();
          if (isAlive()) reject(new Error('aborted'));
        };
        const cancel = this.#parts.time.after(exchange.milliseconds, () => {
          signal.removeEventListener('abort', abort);
          if (!isAlive()) return;
          this.#note(exchange, floorBefore);
          if (exchange.isSound) floor = Math.max(floor, exchange.accounts ?? 0);
          if (exchange.answer instanceof Error) reject(exchange.answer);
          else resolve(exchange.answer);
        });
        signal.addEventListener('abort', abort, { once: true });
      });
  }

  #note({ answer, accounts, fleet }: Exchange, floor: number): void {
    if (answer instanceof Error || answer.status !== 200) return;
    const { chain, time } = this.#parts;
    const atMilliseconds = time.nowMilliseconds();
    if (accounts !== undefined) {
      this.told.push({ slot: accounts, world: chain.worldAt(accounts), atMilliseconds, floor });
    }
    if (fleet !== undefined) this.toldFleets.push({ ...fleet, world: chain.worldAt(fleet.slot), atMilliseconds });
  }

  #exchange(url: AltNodeUrl, body: string): Exchange {
    const { faults, random, trace, urls } = this.#parts;
    this.exchanges += 1;
    const fault = url.isDown ? 'unreachable' : faults.draw();
    let milliseconds = random.integer(2, 60);
    if (fault === 'slow') milliseconds += random.skewed(30_000);
    if (fault === 'hang') milliseconds = HANG_MILLISECONDS;
    const call = JSON.parse(body) as RpcCall & { readonly id: number };
    if (fault !== undefined) trace.line(`  alt ${urls.indexOf(url)} ${fault}: ${call.method}`);
    let accounts: number | undefined;
    let fleet: Exchange['fleet'];
    const witness: AltWitness = {
      accounts: (slot) => (accounts = slot),
      fleet: (slot, spoiled) => (fleet = { slot, spoiled }),
    };
    const answer = this.#failWhole(fault) ?? this.#answer(url, call, fault, witness);
    return { answer, milliseconds, accounts, fleet, isSound: fault === undefined || fault === 'slow' };
  }

  #failWhole(fault: AltFault | undefined): HttpAnswer | Error | undefined {
    const { random } = this.#parts;
    switch (fault) {
      case 'unreachable':
      case 'hang':
        return new Error('unreachable');
      case 'connectionLost':
        return Object.assign(new Error('connection lost'), { code: 'ECONNRESET' });
      case 'rateLimit':
        return toHttp('{}', 429, random.chance(0.5) ? random.integer(1, 90) : undefined);
      case 'serverError':
        return toHttp('<html>Bad Gateway</html>', random.pick([500, 502, 503]));
      case 'bodyTooLarge':
        return random.chance(0.5) ? toHttp('', 413) : { ...toHttp('', 200), body: undefined };
      case 'garbage':
        return toHttp(random.pick(['', 'null', '[]', '{"jsonrpc":"2.0"}', '<html>']), 200);
      default:
        return undefined;
    }
  }

  #answer(
    url: AltNodeUrl,
    call: RpcCall & { readonly id: number },
    fault: AltFault | undefined,
    witness: AltWitness,
  ): HttpAnswer {
    const { random } = this.#parts;
    const result = url.isForeign
      ? answerForeign(call, this.#parts.chain.slot)
      : random.pick(url.backends).answer(call, fault, witness);
    const text = JSON.stringify({ jsonrpc: '2.0', id: call.id, ...result });
    return toHttp(fault === 'truncate' ? text.slice(0, random.integer(0, text.length - 1)) : text, 200);
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

function toHttp(body: string, status: number, retryAfterSeconds?: number): HttpAnswer {
  return { status, retryAfterSeconds, body };
}
