/**
 * Wallets of the devnet, their bindings, and the responses expected of the address-keyed routes (chain-svm 3.8, http-facts 8,
 * configuration.md 3).
 */
import type { Account } from '../accounts.ts';
import { altAccountOf } from '../alt-chain/keys.ts';
import type { AltAccount } from '../alt-chain/keys.ts';
import { newestBlockTimestamp } from './expected-responses.ts';
import {
  DEVNET_LEGACY_MACHINES,
  BOUND_LEGACY_MACHINE,
  BOUND_LEGACY_OPERATOR,
  legacyRating,
} from './legacy-machines.ts';
import type { DevnetLegacyMachine } from './legacy-machines.ts';
import type { ExpectedResponse, ExpectedResponses } from './persona.ts';

export interface DevnetWallet {
  readonly name: string;
  readonly wallet: AltAccount;
  readonly state: 'bound' | 'revoked' | 'unbound';
  /** Undefined: unbound or revoked. */
  readonly boundTo: Account | undefined;
}

export const DEVNET_WALLETS: readonly DevnetWallet[] = [
  toWallet('bound', 'bound', BOUND_LEGACY_MACHINE.machine),
  toWallet('bound-operator', 'bound', BOUND_LEGACY_OPERATOR),
  toWallet('revoked', 'revoked'),
  toWallet('unbound', 'unbound'),
];

function toWallet(name: string, state: DevnetWallet['state'], boundTo?: Account): DevnetWallet {
  return { name, wallet: altAccountOf(`wallet ${name}`), state, boundTo };
}

/** Returns the responses of both routes for one wallet, by path. `now` is the seeding in Unix seconds. */
export function expectWalletResponses({ wallet, state, boundTo }: DevnetWallet, now: number): ExpectedResponses {
  const ratingPath = `/solana/mcr/${wallet.key}`;
  const listingPath = `/solana/operator/${wallet.key}/machines`;
  if (boundTo === undefined) {
    const refusal = refuse(state === 'revoked' ? 'Solana binding is revoked' : 'Solana address is not bound');
    return { [ratingPath]: refusal, [listingPath]: refusal };
  }
  const bound = { solana_address: wallet.key, evm_address: boundTo.address };
  const own = DEVNET_LEGACY_MACHINES.find(({ machine }) => machine === boundTo);
  const listed = DEVNET_LEGACY_MACHINES.filter(({ operator }) => operator === boundTo);
  return {
    [ratingPath]: own === undefined ? refuse('Machine not found') : expectRecord(own, bound, now),
    [listingPath]: {
      status: 200,
      body: {
        operator_did: `did:svc:${boundTo.address}`,
        machines: listed.map(toEntry),
        pagination: { offset: 0, limit: 20, total: listed.length },
        unreadable: 0,
        ...bound,
      },
    },
  };
}

function refuse(detail: string): ExpectedResponse {
  return { status: 404, body: { detail } };
}

function expectRecord(machine: DevnetLegacyMachine, bound: object, now: number): ExpectedResponse {
  return {
    status: 200,
    body: {
      ...toName(machine),
      ...legacyRating(machine),
      last_updated: newestBlockTimestamp(machine.history.events, now),
      ...bound,
    },
  };
}

function toEntry(machine: DevnetLegacyMachine): object {
  const { mcr_score, mcr, negative_flag, bond_status, event_count } = legacyRating(machine);
  return { ...toName(machine), mcr_score, mcr, negative_flag, bond_status, event_count };
}

function toName({ id, machine }: DevnetLegacyMachine): object {
  return { did: `did:svc:${machine.address}`, machine_id: String(id) };
}
