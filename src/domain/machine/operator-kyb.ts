/** Operator of a main-chain machine as responses print it, and the attestation records read with it (chain-evm 2.8, decisions 1). */
import { chainUnreadable } from '../faults.ts';
import type { Address } from '../identifiers/identifiers.ts';
import { unwrap, unwrapOptional } from '../read-result.ts';
import type { AttestationRecords, MachineSnapshot } from './machine-facts.ts';

/** Returns the operator; the owner where none is recorded. Throws `ChainUnreadable`. */
export function findOperator({ operator, owner }: MachineSnapshot): Address {
  return unwrapOptional(operator) ?? unwrap(owner);
}

/**
 * Returns the records; undefined when no attestation registry is configured. Requires the KYB record to be that of the operator.
 * Throws `ChainUnreadable`.
 */
export function readAttestations({ attestations }: MachineSnapshot, operator: Address): AttestationRecords | undefined {
  const records = unwrapOptional(attestations);
  if (records !== undefined && records.operator !== operator) throw chainUnreadable('main', 'contradiction');
  return records;
}
