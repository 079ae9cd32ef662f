/** Contract addresses and numbers of the virtual main chain. */
import type { MainChainAddresses } from '../../src/adapters/main-chain/main-chain-config.ts';
import type { Address } from '../../src/domain/identifiers/identifiers.ts';

const at = (digit: string): Address => `0x${digit.repeat(40)}` as Address;

export const CHAIN_ID = 31_337;

/** First block of the index. */
export const FIRST_BLOCK = 1;

export const ADDRESSES = {
  infoDesk: at('1'),
  machineRegistry: at('2'),
  machineStateAndSync: at('3'),
  machineSubscription: at('4'),
  eventRegistry: at('5'),
  crossChainMirror: at('6'),
  adminFlags: at('7'),
  attestationRegistry: at('8'),
  multicall3: '0xca11bde05977b3631167028862be2a173976ca11' as Address,
} satisfies MainChainAddresses;

/** Precompile of rollups that knows their own blocks. */
export const ARB_SYS_ADDRESS = '0x0000000000000000000000000000000000000064';

/** Contract that the service does not watch. */
export const FOREIGN_ADDRESS = at('f');

/** Maximum records of one `getEvents`; small, so that reads take several pages. */
export const MAX_QUERY_LIMIT = 5;
