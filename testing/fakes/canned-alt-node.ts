/**
 * Fake alt-chain node: returns the accounts, transactions and lists that a test sets, behind a proxy that counts requests and
 * injects faults.
 */
import { startRpcProxy, type ProxyResponse, type ProxyCall, type RpcProxy } from '../harness/rpc-proxy.ts';
import { altKeyBytes, formatAltKey } from '../../src/domain/identifiers/alt-identifiers.ts';
import { UPGRADEABLE_LOADER } from '../../src/adapters/alt-chain/reads/deployment-checks.ts';
import {
  programOf,
  programsFile,
  singletonCases,
  toRpcAccount,
  vectorMachines,
  type VectorAccount,
} from '../fixtures/alt-chain-vectors.ts';

export interface CannedNode {
  readonly proxy: RpcProxy;
  readonly accounts: Map<string, VectorAccount>;
  /** Slot of every response; a higher `minContextSlot` is refused. */
  slot: number;
  genesisHash: string;
  /** Overrides by method. */
  readonly responses: Map<string, (params: readonly unknown[]) => ProxyResponse>;
  close(): Promise<void>;
}

export const CANNED_SLOT = 400_000_010;

/** Arbitrary 32 bytes. */
export const CANNED_GENESIS_HASH = formatAltKey(altKeyBytes(programOf('stranger')).toReversed());

/** Starts a node with the programs, singletons and machines of the vectors. */
export async function startCannedNode(): Promise<CannedNode> {
  const accounts = new Map<string, VectorAccount>();
  const responses: CannedNode['responses'] = new Map();
  const node = { accounts, responses, slot: CANNED_SLOT, genesisHash: CANNED_GENESIS_HASH };
  for (const account of listVectorAccounts()) accounts.set(account.address, account);
  const proxy = await startRpcProxy((call) => responses.get(call.method)?.(call.params) ?? respond(node, call));
  return Object.assign(node, { proxy, close: () => proxy.close() });
}

/** Lists the accounts of all programs, singletons and machines. */
export function listVectorAccounts(): VectorAccount[] {
  const ofPrograms = Object.values(programsFile.programs).map((address) => ({
    address,
    owner: UPGRADEABLE_LOADER,
    lamports: 1_141_440,
    executable: true,
    space: 36,
    data: Buffer.from(`02000000${'11'.repeat(32)}`, 'hex').toString('base64'),
  }));
  const ofMachines = vectorMachines.flatMap(({ accounts }) => Object.values(accounts));
  const singletons = ['registry', 'config', 'event root'].map((name) => singletonAccount(name));
  return [...ofPrograms, ...singletons, ...ofMachines].filter((account) => account !== null);
}

export function singletonAccount(name: string): VectorAccount {
  return singletonCases.find((item) => item.name === name)!.account;
}

interface Slice {
  readonly offset: number;
  readonly length: number;
}

interface AccountConfig {
  readonly minContextSlot?: number;
  readonly dataSlice?: Slice;
  readonly filters?: readonly { readonly dataSize?: number; readonly memcmp?: object }[];
}

type Node = Pick<CannedNode, 'accounts' | 'slot' | 'genesisHash'>;

function respond(node: Node, { method, params }: ProxyCall): ProxyResponse {
  const config = (params.at(-1) ?? {}) as AccountConfig;
  const { slot, accounts } = node;
  if ((config.minContextSlot ?? 0) > slot) return { error: { code: -32016, message: 'Minimum context slot' } };
  const context = { slot, apiVersion: '3.0.0' };
  switch (method) {
    case 'getGenesisHash':
      return { result: node.genesisHash };
    case 'getSlot':
      return { result: slot };
    case 'getFirstAvailableBlock':
      return { result: 0 };
    case 'getAccountInfo':
      return { result: { context, value: toRpcAccount(accounts.get(params[0] as string) ?? null) } };
    case 'getMultipleAccounts': {
      const keys = params[0] as readonly string[];
      if (keys.length > 100) return { error: { code: -32602, message: 'Too many inputs provided' } };
      return { result: { context, value: keys.map((key) => toRpcAccount(accounts.get(key) ?? null)) } };
    }
    case 'getProgramAccounts':
      return { result: { context, value: listProgramAccounts(node, params[0] as string, config) } };
    case 'getSignaturesForAddress':
      return { result: [] };
    default:
      return { error: { code: -32601, message: 'Method not found' } };
  }
}

function listProgramAccounts({ accounts }: Node, program: string, { dataSlice, filters }: AccountConfig): unknown[] {
  const { offset, length } = dataSlice!;
  const size = filters?.find(({ dataSize }) => dataSize !== undefined)?.dataSize;
  const isMachine = size === undefined;
  return [...accounts.values()]
    .filter(({ owner, space }) => owner === program && (isMachine ? space >= 186 : space === size))
    .map((account) => {
      const data = Buffer.from(account.data, 'base64').subarray(offset, offset + length);
      return { pubkey: account.address, account: toRpcAccount({ ...account, data: data.toString('base64') }) };
    });
}
