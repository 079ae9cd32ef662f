/**
 * How does a request end? Test support: the whole way of a request, in the order of http-facts 9.4, with a store that compares and
 * sets; sound requests of both homes, and ways to spoil them.
 */
import { utf8ToBytes } from '@noble/hashes/utils.js';
import type { AltMachine } from '../alt-machine-facts.ts';
import { judgeAltMachine } from '../alt-machine-home.ts';
import { Fault } from '../faults.ts';
import type { Reading } from '../machine-facts.ts';
import { judgeHome } from '../machine-home.ts';
import { parseStrictJson } from '../strict-json.ts';
import type { DecidingHome, DecidingMachine, DecidingSnapshot } from './deciding-machine.ts';
import { concludeDecision, judgeDecision } from './decision-judgement.ts';
import { parseDecisionRequest } from './decision-request.ts';
import {
  ABSENT,
  ALT_MACHINE,
  ALT,
  ALT_ORDINAL,
  ALT_OWNER,
  FREE,
  ID,
  MAIN,
  membersOf,
  NO_GLOBALS,
  NOW,
  OPT_IN,
  OPT_OUT,
  OWNER,
  present,
  TERMS,
} from './decision-scene.ts';
import { judgeWindow } from './decision-window.ts';
import type { Decision, SignedDecision } from './decision.ts';

/** What a request meets; `members` are those of its body. */
export interface Draft {
  readonly members: Readonly<Record<string, unknown>>;
  readonly inForce: SignedDecision | undefined;
  readonly snapshot: DecidingSnapshot;
  readonly globals: DecidingMachine['globals'];
  readonly relocating: Reading<boolean>;
  readonly homeOrdinal: Reading<number>;
  readonly altMachine: Reading<Pick<AltMachine, 'owner' | 'relocating'>>;
}

export const MAIN_DRAFT: Draft = {
  members: membersOf(OPT_IN),
  inForce: undefined,
  snapshot: { ...FREE, available: present(false) },
  globals: NO_GLOBALS,
  relocating: present(false),
  homeOrdinal: present(1),
  altMachine: ABSENT,
};
export const ALT_DRAFT: Draft = {
  ...MAIN_DRAFT,
  members: membersOf(OPT_IN, ALT),
  snapshot: ALT_MACHINE.snapshot,
  homeOrdinal: present(5),
  altMachine: present({ owner: ALT_OWNER.key, relocating: false }),
};

export const changeFacts = (facts: Partial<DecidingSnapshot>) => (draft: Draft) => ({
  ...draft,
  snapshot: { ...draft.snapshot, ...facts },
});
export const changeMembers = (members: Record<string, unknown>) => (draft: Draft) => ({
  ...draft,
  members: { ...draft.members, ...members },
});
export const inForceSince = (timestamp: number) => (draft: Draft) => ({
  ...draft,
  inForce: { ...OPT_OUT, timestamp, signer: OWNER.address },
});

/** Compares and sets in one step, as the statement of the database does. */
export function createMemoryStore(inForce?: SignedDecision) {
  const isNewer = (decision: Decision) => inForce === undefined || decision.timestamp > inForce.timestamp;
  return {
    get inForce() {
      return inForce;
    },
    isNewer,
    applyIfNewer(decision: SignedDecision): boolean {
      if (!isNewer(decision)) return false;
      inForce = decision;
      return true;
    },
  };
}

/** How a request ends: applied, or with the kind of a refusal or of a fault. */
export function put(draft: Draft, store = createMemoryStore(draft.inForce)): string {
  const { value } = parseStrictJson(utf8ToBytes(JSON.stringify(draft.members)));
  if (value === undefined) return 'NotJson';
  const { request, refusal: malformed } = parseDecisionRequest(value);
  if (malformed !== undefined) return malformed.kind;
  const outside = judgeWindow(request.timestamp, NOW);
  if (outside !== undefined) return outside.kind;
  try {
    const home = findHome(draft);
    if (home === undefined) return 'MachineAbsent';
    const { decision, impediment, refusal } = judgeDecision(TERMS, ID, request, { ...draft, home });
    if (refusal !== undefined) return refusal.kind;
    const isNewer = impediment === undefined ? store.applyIfNewer(decision) : store.isNewer(decision);
    return concludeDecision(impediment, isNewer)?.kind ?? 'applied';
  } catch (error) {
    if (error instanceof Fault) return error.kind;
    throw error;
  }
}

function findHome({ snapshot, relocating, homeOrdinal, altMachine }: Draft): DecidingHome | undefined {
  const home = judgeHome({ ...snapshot, relocating, homeOrdinal }, { local: 1, alt: ALT_ORDINAL });
  if (home === 'main') return MAIN;
  const existence = judgeAltMachine(home, altMachine as Reading<AltMachine>);
  return existence.kind === 'present'
    ? { chain: 'alt', ordinal: ALT_ORDINAL, owner: existence.machine.owner }
    : undefined;
}
