/** Who is a machine? Its own account (chain-svm 3.1): the only one whose length varies, always exactly as long as its content. */
import type { AltMachine } from '../../../domain/alt-chain/alt-machine-facts.ts';
import type { ServiceEndpoint, VerificationMethod } from '../../../domain/machine/machine-facts.ts';
import type { AccountLayout } from './account-verdict.ts';
import type { ByteReader } from './byte-reader.ts';

/** Without any text or list, and with the longest of everything. */
const LEAST_BYTES = 186;
const MOST_BYTES = 7_386;

const LENGTH_BYTES = 4;
const LEAST_METHOD_BYTES = 3 * LENGTH_BYTES + 32;
const LEAST_ENDPOINT_BYTES = 3 * LENGTH_BYTES;

export const MACHINE_DISCRIMINATOR = '1966160d3af38a4f';

export const machineLayout: AccountLayout<AltMachine, bigint> = {
  discriminator: MACHINE_DISCRIMINATOR,
  allowsLength: (bytes) => bytes >= LEAST_BYTES && bytes <= MOST_BYTES,
  read: (reader) => {
    const { id, facts } = readMachineHead(reader);
    const value: AltMachine = {
      ...facts,
      machineType: reader.text(),
      credentialSubject: reader.blob(),
      verificationMethods: reader.list(LEAST_METHOD_BYTES, () => readMethod(reader)),
      authentication: reader.list(LENGTH_BYTES, () => reader.u32()),
      serviceEndpoints: reader.list(LEAST_ENDPOINT_BYTES, () => readEndpoint(reader)),
    };
    return { subject: id, value };
  },
};

/** Bytes of the head, the part between the discriminator and the machine type, where everything has a pinned place. */
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
