/** What does a Verify record look like? (evidence 3.1.) Only in its form for the main chain: no other machine has a record. */
import type { Namespace } from '../../domain/identifiers/namespace.ts';
import { closedObject, exactly, machineDid, MACHINE_ID, word, type JsonSchema } from './json-schema.ts';

const ACCOUNT = closedObject({
  kind: exactly('evm'),
  address: { type: 'string', pattern: '^0x[0-9a-fA-F]{40}$', description: 'In EIP-55 spelling, never zero.' },
});

const TOPIC = closedObject({ status: word('unverified', 'verified', 'expired', 'revoked') });

export function verifyRecordSchema(namespace: Namespace): JsonSchema {
  return closedObject({
    machineId: MACHINE_ID,
    machineDid: machineDid(namespace),
    homeChain: closedObject({ kind: exactly('evm'), chainId: { type: 'string', pattern: '^[1-9][0-9]{0,77}$' } }),
    didController: ACCOUNT,
    operator: { ...ACCOUNT, description: 'Who KYB is about: the economic owner of the machine.' },
    verification: closedObject({ kyb: TOPIC, chip: TOPIC }),
  });
}
