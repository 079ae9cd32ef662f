/** Maps a Verify record to its response (evidence 3.1): objects and strings only. Clients reject any further member. */
import type { VerifyRecord } from '../../actions/verify-record.ts';
import { formatAddress, formatMachineDid, type Address } from '../../domain/identifiers/identifiers.ts';
import type { Namespace } from '../../domain/identifiers/namespace.ts';
import type { VerifyAccount, VerifyRecordResponse } from './response-types.ts';

const KIND = 'evm';

/** `GET /v1/verify/machines/{machineId}`. */
export function toVerifyRecord(record: VerifyRecord, namespace: Namespace): VerifyRecordResponse {
  const { id, chainId, didController, operator, kyb, chip } = record;
  return {
    machineId: String(id),
    machineDid: formatMachineDid(id, namespace),
    homeChain: { kind: KIND, chainId: String(chainId) },
    didController: toAccount(didController),
    operator: toAccount(operator),
    verification: { kyb: { status: kyb }, chip: { status: chip } },
  };
}

function toAccount(address: Address): VerifyAccount {
  return { kind: KIND, address: formatAddress(address) };
}
