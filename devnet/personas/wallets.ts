/**
 * Which wallets does the devnet know, to what are they bound, and what must the address-keyed routes answer? (chain-svm 3.8, http-facts 8,
 * configuration.md 3.)
 */
import type { Account } from '../accounts.ts';
import { altAccountOf } from '../alt-chain/keys.ts';
import type { AltAccount } from '../alt-chain/keys.ts';
import { newestBlockTimestamp } from './expected-responses.ts';
import {
  FIRST_GENERATION,
  FIRST_GENERATION_MACHINE,
  FIRST_GENERATION_OPERATOR,
  firstGenerationRating,
} from './legacy-machines.ts';
import type { FirstGenerationMachine } from './legacy-machines.ts';
import type { ExpectedAnswer, ExpectedAnswers } from './persona.ts';

export interface DevnetWallet {
  readonly name: string;
  readonly wallet: AltAccount;
  readonly state: 'bound' | 'revoked' | 'unbound';
  /** Undefined: to nothing, any more or ever. */
  readonly boundTo: Account | undefined;
}

export const DEVNET_WALLETS: readonly DevnetWallet[] = [
  toWallet('bound', 'bound', FIRST_GENERATION_MACHINE.machine),
  toWallet('bound-operator', 'bound', FIRST_GENERATION_OPERATOR),
  toWallet('revoked', 'revoked'),
  toWallet('unbound', 'unbound'),
];

function toWallet(name: string, state: DevnetWallet['state'], boundTo?: Account): DevnetWallet {
  return { name, wallet: altAccountOf(`wallet ${name}`), state, boundTo };
}

/** Both routes of one wallet, by path. `now` is the seeding in Unix seconds. */
export function expectWalletAnswers({ wallet, state, boundTo }: DevnetWallet, now: number): ExpectedAnswers {
  const ratingPath = `/solana/mcr/${wallet.key}`;
  const listingPath = `/solana/operator/${wallet.key}/machines`;
  if (boundTo === undefined) {
    const refusal = refuse(state === 'revoked' ? 'Solana binding is revoked' : 'Solana address is not bound');
    return { [ratingPath]: refusal, [listingPath]: refusal };
  }
  const bound = { solana_address: wallet.key, evm_address: boundTo.address };
  const own = FIRST_GENERATION.find(({ machine }) => machine === boundTo);
  const listed = FIRST_GENERATION.filter(({ operator }) => operator === boundTo);
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

function refuse(detail: string): ExpectedAnswer {
  return { status: 404, body: { detail } };
}

function expectRecord(machine: FirstGenerationMachine, bound: object, now: number): ExpectedAnswer {
  return {
    status: 200,
    body: {
      ...toName(machine),
      ...firstGenerationRating(machine),
      last_updated: newestBlockTimestamp(machine.history.events, now),
      ...bound,
    },
  };
}

function toEntry(machine: FirstGenerationMachine): object {
  const { mcr_score, mcr, negative_flag, bond_status, event_count } = firstGenerationRating(machine);
  return { ...toName(machine), mcr_score, mcr, negative_flag, bond_status, event_count };
}

function toName({ id, machine }: FirstGenerationMachine): object {
  return { did: `did:svc:${machine.address}`, machine_id: String(id) };
}
