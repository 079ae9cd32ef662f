/**
 * Main-chain state of the machines that live on the alt chain (chain-svm 9): home, bond and operator. The test hooks of the contracts write
 * what the bridge and the validators would write.
 */
import type { Address } from 'viem';
import { accountOf, ADMIN_NAME } from '../accounts.ts';
import type { SampleAltMachine } from '../personas/alt-persona.ts';
import type { Call } from '../main-chain/chain-writer.ts';
import { ALT_ORDINAL } from '../main-chain/deploy.ts';
import type { Deployment } from '../main-chain/deploy.ts';
import { activateMachine, adminCall, contractCall, renewSubscription, submitEvent } from '../main-chain/calls.ts';
import { callAttestKyb } from '../personas/attestation-acts.ts';
import { credentialsOf } from '../personas/persona.ts';
import { eventTimestamp } from '../personas/planned-event.ts';

/** Call to mine in the block of a day. */
interface DatedCall {
  readonly daysAgo: number;
  readonly call: Call;
}

const ENTRY_TIER = 0;
const NO_OPERATOR: Address = '0x0000000000000000000000000000000000000000';

/** Returns the calls for one machine; calls of one day are in order. `now` is the seeding in Unix seconds. */
export function planMainChainSide(deployment: Deployment, sample: SampleAltMachine, now: number): DatedCall[] {
  const { persona, machine } = sample;
  const { createdDaysAgo, renewedDaysAgo, origin } = persona;
  const payer = machine.operator ?? accountOf(ADMIN_NAME);
  const renewal =
    renewedDaysAgo === undefined
      ? []
      : [{ daysAgo: renewedDaysAgo, call: renewSubscription(deployment, payer.address, machine.id) }];
  switch (origin.kind) {
    case 'unlinked':
      return [];
    case 'linked': {
      const attested = persona.isVerified ? [callAttestKyb(deployment, payer.address)] : [];
      return [...at(createdDaysAgo, [...link(deployment, sample, payer.address), ...attested]), ...renewal];
    }
    case 'recreated':
      return [
        ...at(origin.firstCreatedDaysAgo, link(deployment, sample, payer.address)),
        ...at(origin.retiredDaysAgo, [setHome(deployment, machine.id, 0)]),
        ...at(createdDaysAgo, [setHome(deployment, machine.id, ALT_ORDINAL)]),
        ...renewal,
      ];
    case 'arrived': {
      const credentials = credentialsOf(persona.name);
      const leave = adminCall(deployment, 'machineStateAndSync', 'devBridgeOut', [machine.id, ALT_ORDINAL]);
      const common = { from: payer.address, machineId: machine.id };
      return [
        ...at(origin.activatedDaysAgo, [activateMachine(deployment, { ...credentials, from: payer.address })]),
        ...origin.eventsThere.map((event) => {
          const call = submitEvent(deployment, { ...event, ...common, timestamp: eventTimestamp(now, event) });
          return { daysAgo: event.daysAgo, call };
        }),
        ...at(createdDaysAgo, [leave]),
        ...renewal,
      ];
    }
  }
}

/** Sets the operator, who bonds the machine, and its home. An operator that the account does not name is removed after the bond. */
function link(deployment: Deployment, { machine: { id, operator } }: SampleAltMachine, payer: Address): Call[] {
  return [
    adminCall(deployment, 'machineRegistry', 'devSetForeignOperator', [id, payer]),
    contractCall(deployment, 'machineSubscription', payer, 'activate', [id, ENTRY_TIER]),
    ...(operator === undefined
      ? [adminCall(deployment, 'machineRegistry', 'devSetForeignOperator', [id, NO_OPERATOR])]
      : []),
    setHome(deployment, id, ALT_ORDINAL),
  ];
}

function setHome(deployment: Deployment, id: bigint, ordinal: number): Call {
  return adminCall(deployment, 'crossChainMirror', 'devSetHomeChain', [id, ordinal]);
}

function at(daysAgo: number, calls: readonly Call[]): DatedCall[] {
  return calls.map((call) => ({ daysAgo, call }));
}
