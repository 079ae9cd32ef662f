/** Layout of a machine's own account (chain-svm 3.1), the only one of variable length; it is exactly as long as its content. */
import { MAX_ALT_MACHINE_BYTES, type AltMachine } from '../../../domain/alt-chain/alt-machine-facts.ts';
import type { ServiceEndpoint, VerificationMethod } from '../../../domain/machine/machine-facts.ts';
import type { AccountLayout } from './account-decoder.ts';
import type { ByteReader } from './byte-reader.ts';

/** Size with every text and list empty. */
const MIN_BYTES = 186;

const LENGTH_BYTES = 4;
const MIN_METHOD_BYTES = 3 * LENGTH_BYTES + 32;
const MIN_ENDPOINT_BYTES = 3 * LENGTH_BYTES;

export const MACHINE_DISCRIMINATOR = '1966160d3af38a4f';

export const machineLayout: AccountLayout<AltMachine, bigint> = {
  discriminator: MACHINE_DISCRIMINATOR,
  allowsLength: (bytes) => bytes >= MIN_BYTES && bytes <= MAX_ALT_MACHINE_BYTES,
  read: (reader) => {
    const { id, facts } = readMachineHead(reader);
    const value: AltMachine = {
      ...facts,
      machineType: reader.text(),
      credentialSubject: reader.blob(),
      verificationMethods: reader.list(MIN_METHOD_BYTES, () => readMethod(reader)),
      authentication: reader.list(LENGTH_BYTES, () => reader.u32()),
      serviceEndpoints: reader.list(MIN_ENDPOINT_BYTES, () => readEndpoint(reader)),
    };
    return { subject: id, value };
  },
};

/** Size of the head: the fixed-offset fields between the discriminator and the machine type. */
export const MACHINE_HEAD_BYTES = 158;

export interface MachineHead {
  readonly id: bigint;
  readonly bump: number;
  readonly facts: Pick<AltMachine, 'owner' | 'controller' | 'manufacturer' | 'relocating' | 'onboardedAt' | 'operator'>;
}

/** Reads the head. Throws `Undecodable`. */
export function readMachineHead(reader: ByteReader): MachineHead {
  const id = reader.word();
  const owner = reader.key();
  const controller = reader.optionalKey();
  const manufacturer = reader.optionalKey();
  const relocating = reader.bool();
  const onboardedAt = reader.i64();
  const bump = reader.u8();
  const operator = reader.optionalAddress();
  return { id, bump, facts: { owner, controller, manufacturer, relocating, onboardedAt, operator } };
}

function readMethod(reader: ByteReader): VerificationMethod {
  return {
    id: reader.text(),
    methodType: reader.text(),
    controller: reader.key(),
    publicKeyMultibase: reader.text(),
  };
}

function readEndpoint(reader: ByteReader): ServiceEndpoint {
  return { id: reader.text(), serviceType: reader.text(), serviceEndpoint: reader.text() };
}
