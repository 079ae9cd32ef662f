/** Balance of the measured fleet on the devnet, whose machines exist only in the index: a listing is served only when `balanceOf` agrees with it. */
import { encodeAbiParameters, keccak256, numberToHex, type Hex } from 'viem';
import { createRpc } from '../../devnet/main-chain/rpc.ts';
import type { Devnet } from '../../devnet/start-devnet.ts';
import { FLEET } from './fleet-service.ts';

/** `_balances` of OpenZeppelin's namespaced ERC-721 storage. */
const BALANCES_SLOT = 0x80bb2b638cc20bc4d0a60d66940f3ab4a00c1d7b313497ca82fb0b4ab0079300n + 3n;
/** Makes the balance final. */
const BLOCKS = 8;

/** Sets the number of machines that the registry counts for the fleet, and checks that it does. */
export async function setFleetBalance({ rpcUrl, deployment }: Devnet, machines: number): Promise<void> {
  const { request } = createRpc(rpcUrl);
  const registry = deployment.addresses.machineRegistry;
  const slot = keccak256(encodeAbiParameters([{ type: 'address' }, { type: 'uint256' }], [FLEET, BALANCES_SLOT]));
  await request('anvil_setStorageAt', [registry, slot, numberToHex(machines, { size: 32 })]);
  await request('anvil_mine', [numberToHex(BLOCKS)]);
  const data = `0x70a08231${FLEET.slice(2).padStart(64, '0')}`;
  const balance = await request<Hex>('eth_call', [{ to: registry, data }, 'latest']);
  if (Number(balance) !== machines) throw new Error(`balanceOf returns ${balance}`);
}
