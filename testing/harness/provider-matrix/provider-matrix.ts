/**
 * Provider matrix: one devnet with a service behind its bare nodes, and groups of cases that are compared with that
 * service before and after a change of the chain.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { accountOf } from '../../../devnet/accounts.ts';
import { setController, submitEvent, transferMachine } from '../../../devnet/main-chain/calls.ts';
import {
  createChainWriter,
  type Call,
  type ChainWriter,
  type Receipt,
} from '../../../devnet/main-chain/chain-writer.ts';
import { startDevnet, type Devnet } from '../../../devnet/start-devnet.ts';
import { startService, type Service } from '../../../src/main.ts';
import { startIdleTime } from '../idle-time.ts';
import { queryNode, startProviderProxy } from '../provider-proxy/provider-proxy.ts';
import { createRestingNode, type RestingNode } from '../provider-proxy/resting-node.ts';
import { openCase, type Answers, type CaseOutcome, type MatrixCase, type OpenCase, type Truth } from './matrix-case.ts';
import { readAnswer, toConfig } from './matrix-service.ts';
import { listServedPaths } from './served-paths.ts';

export interface MatrixOptions {
  /** Names of the machines whose paths are compared; undefined: all. */
  readonly machines?: readonly string[] | undefined;
  /** Number of machines of one operator; by default they fill two pages of a listing. */
  readonly fleet?: number;
  /** Leaves out the alt chain, so that a case costs less. */
  readonly isMainChainOnly?: boolean;
  /** Lets time pass only while the process is idle, so that no case waits and none depends on the load of the machine. */
  readonly isIdleTime?: boolean;
}

export interface ProviderMatrix {
  /** Runs the cases side by side. Everything must be served within the time, before and after a change. */
  runGroup(cases: readonly MatrixCase[], capMilliseconds: number): Promise<CaseOutcome[]>;
  close(): Promise<void>;
}

const TWO_PAGES = 22;
const POLL_MILLISECONDS = 250;
/** Exceeds the poll interval of the indexes. */
const SETTLE_MILLISECONDS = 2_500;
/** Time between two blocks in time that passes only while the process is idle; otherwise the devnet mines on demand. */
const BLOCK_MILLISECONDS = 12_000;
/** Waiting times after which the cases that are served see a change, and end. */
const EARLY_MILLISECONDS = [20_000, 60_000, 150_000, 400_000];
const SILENT = { info() {}, warn() {}, error() {} };

/** Starts the devnet, whose chain grows only on request and slowly, and the service behind its nodes. */
export async function openProviderMatrix({
  machines,
  fleet = TWO_PAGES,
  isMainChainOnly = false,
  isIdleTime = false,
}: MatrixOptions = {}): Promise<ProviderMatrix> {
  const devnet = await startDevnet({
    fleet,
    altChain: !isMainChainOnly,
    blocks: isIdleTime ? 'none' : 'on-demand',
    quiet: true,
  });
  // Verdicts on payments arrive in their own time, so none are followed.
  const { SOURCES_FILE: _sources, ...env } = devnet.env;
  const writer = createChainWriter(devnet.rpcUrl);
  const time = isIdleTime ? startIdleTime() : undefined;
  const node = isIdleTime ? createRestingNode(queryNode(devnet.rpcUrl)) : undefined;
  const upstreams = { main: node?.answer ?? devnet.rpcUrl, alt: env['ALT_RPC_URLS'] };
  const bareProxy = await startProviderProxy(upstreams.main, []);
  const bare = await startService(toConfig({ ...env, MAIN_RPC_URLS: bareProxy.url }), { log: SILENT });
  await bare.indexed;
  const paths = listServedPaths(devnet.fixtures, machines);
  const mine = createMiner(writer, node);
  const change = createChanges(devnet, writer, mine);
  const changed = `/mcr/${devnet.fixtures.machines.find(({ name }) => name === 'rated-b')!.did}/explanation`;
  // In idle time waiting costs nothing.
  const readTruth = isIdleTime ? readSettledAnswers : readAnswers;
  let current = await readTruth(bare, paths);

  return {
    async runGroup(cases, capMilliseconds) {
      const truth = (earlier: readonly Answers[]): Truth => ({
        current,
        earlier,
        maxPauseMilliseconds: isIdleTime ? 8_000 : 500,
        reread: async (path) => (await readAnswer(bare, path)).text,
      });
      const producing = isIdleTime ? setInterval(() => void mine([]), BLOCK_MILLISECONDS) : undefined;
      const open = await Promise.all(cases.map((each) => openCase(each, env, upstreams)));
      const outcomes = new Map<OpenCase, CaseOutcome>();
      const finish = async (ended: readonly OpenCase[]) => {
        for (const each of ended) outcomes.set(each, await each.finish());
      };
      let waiting: readonly OpenCase[] = open;
      /** Before each change; a case that is not served yet may have seen none of them. */
      const earlier: Answers[] = [];
      let waited = 0;
      // Cases that are served early end early, and do not run beside a slow one.
      for (const until of [...EARLY_MILLISECONDS.filter((each) => each < capMilliseconds), capMilliseconds]) {
        await Promise.all(waiting.map((each) => each.settle(truth(earlier), until - waited)));
        waited = until;
        const served = waiting.filter(({ isServed }) => isServed);
        waiting = waiting.filter(({ isServed, isOver }) => !isServed && !isOver);
        await finish(open.filter((each) => each.isOver && !outcomes.has(each)));
        if (served.length === 0) continue;
        const previous = current;
        earlier.push(previous);
        await followTo(bare, changed, await change());
        current = await readTruth(bare, paths);
        await Promise.all(served.map((each) => each.settle(truth([previous]), capMilliseconds)));
        await finish(served);
        if (waiting.length === 0) break;
      }
      await finish(waiting);
      clearInterval(producing);
      return open.map((each) => outcomes.get(each)!);
    },
    async close() {
      await bare.close();
      await bareProxy.close();
      time?.stop();
      await devnet.stop();
    },
  };
}

type Mine = (calls: readonly Call[]) => Promise<Receipt[]>;

const readNewestSeconds = async ({ rpc }: ChainWriter): Promise<number> =>
  Number((await rpc.request<{ readonly timestamp: string }>('eth_getBlockByNumber', ['latest', false])).timestamp);

/** Returns a function that mines the calls in one block, one block after another; on a resting node in idle time. */
function createMiner(writer: ChainWriter, node: RestingNode | undefined): Mine {
  let last: Promise<unknown> = Promise.resolve();
  async function mine(calls: readonly Call[]): Promise<Receipt[]> {
    if (node === undefined) return writer.mine(calls);
    // The chain can be ahead of the clock by the blocks of one second.
    const seconds = Math.max(Math.floor(Date.now() / 1000), (await readNewestSeconds(writer)) + 1);
    return node.grow(() => writer.mine(calls, seconds));
  }
  return (calls) => {
    const mined = last.then(() => mine(calls));
    last = mined.catch(() => undefined);
    return mined;
  };
}

/** Returns a function that changes the owner, the controller and the events of machines and returns the number of a final block with all of it. */
function createChanges({ deployment, fixtures }: Devnet, writer: ChainWriter, mine: Mine): () => Promise<number> {
  const find = (name: string) => {
    const { id, owner } = fixtures.machines.find((each) => each.name === name)!;
    return { id: BigInt(id), owner: owner as `0x${string}` };
  };
  const [rated, sold, controlled] = [find('rated-b'), find('activity-only'), find('multi-currency')];
  const buyer = accountOf('empty').address;
  const controllers = [accountOf('matrix-controller').address, accountOf('matrix-other-controller').address] as const;
  let changes = 0;

  return async () => {
    const isEven = changes++ % 2 === 0;
    const [seller, receiver] = isEven ? [sold.owner, buyer] : [buyer, sold.owner];
    // The time of the chain is behind the clock where the devnet was built slowly.
    const timestamp = await readNewestSeconds(writer);
    const revenue = { eventType: 0, value: 12_300n, currency: 'USD', timestamp, trustLevel: 1 };
    const calls: Call[] = [
      submitEvent(deployment, { from: rated.owner, machineId: rated.id, ...revenue }),
      transferMachine(deployment, seller, receiver, sold.id),
      setController(deployment, controlled.owner, controlled.id, controllers[isEven ? 0 : 1]),
    ];
    const receipts = await mine(calls);
    // Finality is two blocks behind the head.
    await mine([]);
    await mine([]);
    return Math.max(...receipts.map(({ blockNumber }) => Number(blockNumber)));
  };
}

/** Resolves when the service has indexed the block and reads the machine at it or later: its index and its head poll apart. */
async function followTo(service: Service, path: string, block: number): Promise<void> {
  for (;;) {
    const status = (await service.app.inject('/status')).json<{ operator_index: { indexed_block: number } }>();
    const { inputs } = (await service.app.inject(path)).json<{ inputs?: { block: { number: string } } }>();
    if (status.operator_index.indexed_block >= block && Number(inputs?.block.number) >= block) return;
    await delay(POLL_MILLISECONDS);
  }
}

/** Returns the answers once they no longer change: lists follow the index, everything else the head. */
async function readSettledAnswers(service: Service, paths: readonly string[]): Promise<Answers> {
  let before = await readAnswers(service, paths);
  for (;;) {
    await delay(SETTLE_MILLISECONDS);
    const after = await readAnswers(service, paths);
    if (paths.every((path) => before.get(path) === after.get(path))) return after;
    before = after;
  }
}

async function readAnswers(service: Service, paths: readonly string[]): Promise<Answers> {
  const answers = new Map<string, string>();
  for (const path of paths) answers.set(path, (await readAnswer(service, path)).text);
  return answers;
}
