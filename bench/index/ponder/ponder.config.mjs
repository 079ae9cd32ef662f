// Configuration of ponder: the chain in `FLEET_CHAIN`, up to its finalized block.
import { createConfig } from 'ponder';

const chain = JSON.parse(process.env.FLEET_CHAIN);

const abi = [
  {
    type: 'event',
    name: 'Transfer',
    inputs: [
      { name: 'from', type: 'address', indexed: true },
      { name: 'to', type: 'address', indexed: true },
      { name: 'tokenId', type: 'uint256', indexed: true },
    ],
  },
];

export default createConfig({
  database: { kind: 'postgres', connectionString: process.env.DATABASE_URL },
  chains: { fleet: { id: chain.chainId, rpc: chain.rpcUrl } },
  contracts: {
    FleetRegistry: {
      abi,
      chain: 'fleet',
      address: chain.addresses.machineRegistry,
      startBlock: chain.startBlock,
      endBlock: chain.finalizedBlock,
    },
  },
});
