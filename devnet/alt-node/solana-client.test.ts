/** Compatibility with the public Solana client, which expects the responses of real nodes. */
import { address, createSolanaRpc, signature } from '@solana/kit';
import type { Base64EncodedWireTransaction } from '@solana/kit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startAltNode } from './alt-node.ts';
import type { AltNode, SubmittedTransaction } from './alt-node.ts';
import { submitEvent } from './event-transactions.ts';
import { machineAddresses } from './program-addresses.ts';
import { GENESIS, OWNER_SEED, placeEventRegistry, placeMachine, REVENUE } from './registered-machine.ts';
import { signPlan } from './signed-transaction.ts';

let node: AltNode;
let event: SubmittedTransaction;

beforeAll(async () => {
  node = await startAltNode({ genesisTimestamp: GENESIS });
  await placeEventRegistry(node);
  await placeMachine(node, 1n);
  event = await submitEvent(node, { machineId: 1n, signer: OWNER_SEED, record: REVENUE, via: 'v0-lookup-table' });
  node.advanceSlots(31);
});
afterAll(() => node.stop());

it('reads accounts, history and blocks with the public client', async () => {
  const rpc = createSolanaRpc(node.rpcUrl);
  const { machine } = await machineAddresses(1n);
  const registry = address(node.programs.machineRegistry);
  const slot = BigInt(event.slot);
  const confirmed = slot + 30n; // default commitment of the client
  const account = await rpc.getAccountInfo(address(machine.address), { encoding: 'base64' }).send();
  expect(account.value).toMatchObject({ executable: false, owner: registry });
  const several = await rpc.getMultipleAccounts([address(machine.address)], { encoding: 'base64' }).send();
  expect(several).toMatchObject({ context: { slot: confirmed }, value: [account.value] });
  const all = await rpc.getProgramAccounts(registry, { encoding: 'base64', withContext: true }).send();
  expect(all.value).toStrictEqual([{ pubkey: machine.address, account: account.value }]);
  const rows = await rpc.getSignaturesForAddress(address(node.programs.eventRegistry)).send();
  expect(rows).toMatchObject([{ signature: event.signature, slot, blockTime: BigInt(GENESIS) }]);
  const options = { encoding: 'json', maxSupportedTransactionVersion: 0 } as const;
  const transaction = await rpc.getTransaction(signature(event.signature), options).send();
  expect(transaction).toMatchObject({ slot, version: 0, meta: { err: null, fee: 5000n } });
  const names = [signature(event.signature), signature('1'.repeat(64))];
  const statuses = await rpc.getSignatureStatuses(names, { searchTransactionHistory: true }).send();
  expect(statuses).toMatchObject({
    context: { slot: confirmed + 1n },
    value: [{ slot, err: null, confirmationStatus: 'finalized' }, null],
  });
  const block = await rpc.getBlock(slot, { transactionDetails: 'signatures', rewards: false }).send();
  expect(block).toMatchObject({ blockHeight: slot, signatures: [expect.any(String), event.signature] });
  expect(await rpc.getBlockTime(slot).send()).toBe(BigInt(GENESIS));
  expect(await rpc.getSlot().send()).toBe(confirmed);
  expect(await rpc.getGenesisHash().send()).toBe(node.genesisHash);
  expect(await rpc.getFirstAvailableBlock().send()).toBe(0n);
  expect(await rpc.getHealth().send()).toBe('ok');
  expect(await rpc.getVersion().send()).toStrictEqual({ 'feature-set': 0, 'solana-core': '3.0.0-devnet' });
});

it('accepts a transaction from the public client', async () => {
  const rpc = createSolanaRpc(node.rpcUrl);
  const { value } = await rpc.getLatestBlockhash().send();
  const instructions = [{ program: node.programs.caller, accounts: [], data: Uint8Array.of(1, 1) }];
  const wire = Buffer.from(await signPlan({ instructions, signers: [OWNER_SEED] }, value.blockhash)).toString('base64');
  const sent = await rpc.sendTransaction(wire as Base64EncodedWireTransaction, { encoding: 'base64' }).send();
  node.advanceSlots(31);
  expect(await rpc.getTransaction(sent, { encoding: 'json' }).send()).toMatchObject({ meta: { err: null } });
});
