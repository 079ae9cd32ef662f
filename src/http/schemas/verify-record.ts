/** Schema of a Verify record (evidence 3.1). Only main-chain machines have one. */
import type { Namespace } from '../../domain/identifiers/namespace.ts';
import { ADDRESS_TEXT, closedObject, described, exactly, machineDid, MACHINE_ID, refer, word } from './json-schema.ts';

const KIND = exactly('evm');

const TOPIC = described(
  closedObject({ status: word('unverified', 'verified', 'expired', 'revoked') }),
  'The verification of one topic.',
);

export function verifyResponses(namespace: Namespace) {
  const chainId = described({ type: 'string', pattern: '^[1-9][0-9]{0,77}$' }, 'Decimal.', '31337');
  return {
    VerifyRecord: described(
      closedObject({
        machineId: MACHINE_ID,
        machineDid: machineDid(namespace),
        homeChain: described(closedObject({ kind: KIND, chainId }), 'The chain of the machine.'),
        didController: described(refer('VerifyAccount'), 'The account that controls the DID.'),
        operator: described(refer('VerifyAccount'), 'The economic owner of the machine, whose KYB status is reported.'),
        verification: described(
          closedObject({ kyb: refer('VerifyTopic'), chip: refer('VerifyTopic') }),
          'KYB of the operator, and the chip of the machine. There is no aggregate.',
        ),
      }),
      'Who controls and operates a machine, and whether operator and chip are verified.',
    ),
  };
}

export function verifyParts() {
  return {
    VerifyAccount: described(
      closedObject({ kind: KIND, address: ADDRESS_TEXT }),
      'An account; its address is never zero.',
    ),
    VerifyTopic: TOPIC,
  };
}
