/** Runs the alt-chain contract against the canned node. */
import { describeAltChain } from './alt-chain-contract.ts';
import { CANNED_SLOT, startCannedNode } from '../fakes/canned-alt-node.ts';

describeAltChain('a canned node', {}, async () => {
  const { proxy, accounts, genesisHash, close } = await startCannedNode();
  return {
    rpcUrl: proxy.url,
    genesisHash,
    readSlots: async () => ({ first: 0, finalized: CANNED_SLOT }),
    async setAccount(address, account) {
      if (account === null) accounts.delete(address);
      else accounts.set(address, { ...account, address });
    },
    close,
  };
});
