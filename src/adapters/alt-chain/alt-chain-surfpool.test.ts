/** Runs the alt-chain contract against Surfpool, an independent local Solana node. */
import { expect } from 'vitest';
import { startSurfpoolNode } from '../../../testing/harness/surfpool-node.ts';
import { describeAltChain } from '../../../testing/contracts/alt-chain-contract.ts';
import { listVectorAccounts } from '../../../testing/fakes/canned-alt-node.ts';

// Surfpool rejects an executable account that no loader owns.
describeAltChain('surfpool', { except: ['executable'] }, async () => {
  const node = await startSurfpoolNode();
  for (const account of listVectorAccounts()) await node.setAccount(account.address, account);
  expect(await node.request('getHealth')).toBe('ok');
  return {
    rpcUrl: node.rpcUrl,
    genesisHash: node.genesisHash,
    readSlots: async () => ({
      first: Number(await node.request('getFirstAvailableBlock')),
      finalized: Number(await node.request('getSlot', [{ commitment: 'finalized' }])),
    }),
    setAccount: (address, account) => node.setAccount(address, account),
    close: async () => node.stop(),
  };
});
