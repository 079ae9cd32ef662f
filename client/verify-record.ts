/** Is a machine verified? One status for each topic; there is no aggregate (interface, Verify routes; http-facts 10.1). */
import type { VerifyStatus } from '../src/domain/evidence/verify-status.ts';
import { ask, type Answer, type AskOptions, type Connection } from './http.ts';
import { withMachine, type MachineKey } from './machine-key.ts';

export interface VerifiedAccount {
  readonly kind: string;
  readonly address: string;
}

export interface VerifyRecord {
  readonly machineId: string;
  readonly machineDid: string;
  readonly homeChain: { readonly kind: string; readonly chainId: string };
  readonly didController: VerifiedAccount;
  readonly operator: VerifiedAccount;
  readonly verification: {
    /** Of the operator. */
    readonly kyb: { readonly status: VerifyStatus };
    /** Of the machine. */
    readonly chip: { readonly status: VerifyStatus };
  };
}

/** A machine of the alt chain always answers `verify-read-unavailable`. */
export function getVerification(
  connection: Connection,
  machine: MachineKey,
  options?: AskOptions,
): Promise<Answer<VerifyRecord>> {
  return withMachine(machine, connection.namespace, (id) =>
    ask(
      connection,
      `/v1/verify/machines/${id}`,
      ({ machineId, verification }) => machineId === String(id) && typeof verification === 'object',
      options,
    ),
  );
}
