/** What do the answers about what a wallet is bound to look like? The ordinary ones with two members more (http-facts 8). */
import type { Namespace } from '../../domain/identifiers/namespace.ts';
import { fleetMembers, listedMembers } from './fleet.ts';
import { ADDRESS_TEXT, addressDid, ALT_KEY_TEXT, closedObject, type JsonSchema } from './json-schema.ts';
import { ALT_CHAIN_ONLY, mcrMembers } from './machines.ts';

const BOUND = {
  solana_address: { ...ALT_KEY_TEXT, description: 'The wallet, as sent.' },
  evm_address: { ...ADDRESS_TEXT, description: 'What it is bound to, in EIP-55 spelling.' },
};

export function boundMcrRecordSchema(namespace: Namespace): JsonSchema {
  const members = Object.entries(mcrMembers(namespace)).filter(([name]) => !ALT_CHAIN_ONLY.includes(name));
  return closedObject({ ...Object.fromEntries(members), did: addressDid(namespace), ...BOUND });
}

export function boundFleetSchema(namespace: Namespace): JsonSchema {
  const did = addressDid(namespace);
  const entry = closedObject({ ...listedMembers(namespace), did });
  return closedObject({ ...fleetMembers(namespace, entry), operator_did: did, ...BOUND });
}
