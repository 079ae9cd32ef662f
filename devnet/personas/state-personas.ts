/** Personas with different pause states, controllers, owners and homes. */
import { ALT_ORDINAL, OTHER_ORDINAL } from '../main-chain/deploy.ts';
import { NO_HISTORY, SHORT_HISTORY } from './histories.ts';
import { adminCall, retireMachine, suspendMachine } from '../main-chain/calls.ts';
import { credentialsOf, served } from './persona.ts';
import type { Act, ExpectedResponse, Persona } from './persona.ts';

const ACT_DAYS_AGO = 30;
const REISSUED_NAME = 'reissued-new';

function withState(name: string, about: string, rest: Partial<Persona>): Persona {
  return {
    name,
    about,
    home: 'main',
    activatedDaysAgo: 120,
    events: SHORT_HISTORY.events,
    expected: served(SHORT_HISTORY.rating),
    ...rest,
  };
}

function act(calls: Act['calls'], daysAgo = ACT_DAYS_AGO): readonly Act[] {
  return [{ daysAgo, calls }];
}

/** Returns the expected first page of a listing with `total` machines. */
function listing(total: number): ExpectedResponse {
  return { status: 200, body: { pagination: { offset: 0, limit: 20, total }, unreadable: 0 } };
}

export const STATE_PERSONAS: readonly Persona[] = [
  withState('suspended', 'Paused by its owner: served, but cannot opt in.', {
    acts: act((deployment, { activator, id }) => [suspendMachine(deployment, activator.address, id)]),
  }),
  withState('deactivated', 'Deactivated by the protocol owner: served, but cannot opt in.', {
    acts: act((deployment, { id }) => [adminCall(deployment, 'machineStateAndSync', 'setGeneralPaused', [id, true])]),
  }),
  withState('technical-pause', 'Paused for a technical upgrade: served, but cannot opt in.', {
    acts: act((deployment, { id }) => [adminCall(deployment, 'machineStateAndSync', 'setTechnicalPaused', [id, true])]),
  }),
  withState('with-controller', 'Has a controller, who submits its events.', {
    controller: 'with-controller controller',
    furtherResponses: ({ owner, controller }) => ({
      [`/operator/${owner.address}/machines`]: listing(1),
      [`/operator/${controller!.address}/machines`]: listing(1),
    }),
  }),
  withState('relocating', 'Relocating to the alt chain; the token is still on the main chain.', {
    acts: act(
      (deployment, { id }) => [
        adminCall(deployment, 'machineStateAndSync', 'devSetRelocating', [id, true, ALT_ORDINAL]),
      ],
      1,
    ),
    expected: { kind: 'relocating' },
  }),
  withState('homed-elsewhere', 'Moved to a chain that this deployment does not serve.', {
    acts: act(
      (deployment, { id }) => [adminCall(deployment, 'machineStateAndSync', 'devBridgeOut', [id, OTHER_ORDINAL])],
      1,
    ),
    expected: { kind: 'homed-elsewhere', ordinal: OTHER_ORDINAL },
  }),
  withState('reissued-old', 'Former id of reissued-new; its events stay under this id and are unreachable.', {
    acts: act((deployment, { id }) => {
      const { machineType, credentialSubject } = credentialsOf(REISSUED_NAME);
      return [adminCall(deployment, 'machineStateAndSync', 'devReissue', [id, machineType, credentialSubject])];
    }, 1),
    expected: { kind: 'unknown' },
  }),
  {
    name: REISSUED_NAME,
    about: 'New id of reissued-old: same owner and bond, no events.',
    home: 'main',
    activator: 'reissued-old owner',
    expected: served(NO_HISTORY.rating),
  },
  withState('retired', 'Retired by its owner: the id is unknown.', {
    acts: act((deployment, { activator, id }) => [retireMachine(deployment, activator.address, id)], 1),
    expected: { kind: 'unknown' },
  }),
];
