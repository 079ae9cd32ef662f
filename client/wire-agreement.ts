/**
 * Do the client's types say what the service sends? Every answer of the service's own functions must be one of the client's, and the client may name
 * no member that the service does not. Held by the type checker alone; nothing is imported when the client runs.
 */
import type { toActiveMachines } from '../src/http/wire/active-machines.ts';
import type { toBoundFleet, toBoundRecord } from '../src/http/wire/bound-addresses.ts';
import type { toChallenge } from '../src/http/wire/chip.ts';
import type { toFleetPage } from '../src/http/wire/fleet.ts';
import type { toEventListing, toHistory } from '../src/http/wire/machine-history.ts';
import type { toCard, toExplanation, toMcrRecord } from '../src/http/wire/machines.ts';
import type { toDecisionState, toPublishedDeployment } from '../src/http/wire/monetization.ts';
import type { toReadinessReport, toStatusReport } from '../src/http/wire/health.ts';
import type { toVerifyRecord } from '../src/http/wire/verify-record.ts';
import type { Receipt } from '../src/domain/evidence/evidence-record.ts';
import type { ActiveMachine, ActiveMachines } from './active-machines.ts';
import type { Binding } from './bound-addresses.ts';
import type { ChipReceipt } from './evidence.ts';
import type { ProviderChallenge } from '../src/domain/evidence/evidence-building.ts';
import type { FleetEntry, FleetIndex, FleetPage } from './fleet.ts';
import type { EventListing, History, HistoryPoint, ListedEvent } from './machine-history.ts';
import type { Card, Explanation, McrRecord } from './machines.ts';
import type { DeploymentDocument, MonetizationState } from './monetization-state.ts';
import type { Readiness, Status } from './health.ts';
import type { VerifyRecord } from './verify-record.ts';

/** A type error here names the member that differs. */
type Sends<Sent extends Told, Told> = Sent;
/** A bigint is written in digits, like a number. */
type Written<T> = T extends bigint
  ? number
  : T extends string
    ? T
    : T extends object
      ? { [K in keyof T]: Written<T[K]> }
      : T;
/** Members of every form of an answer. */
type MemberOf<T> = T extends unknown ? keyof T : never;
type Names<Told extends MemberOf<Sent>, Sent> = Told;

type FleetSent = ReturnType<typeof toFleetPage>;
type ActiveSent = ReturnType<typeof toActiveMachines>;
type HistorySent = ReturnType<typeof toHistory>;
type EventsSent = ReturnType<typeof toEventListing>;

export type Agreement = [
  Sends<ReturnType<typeof toMcrRecord>, McrRecord>,
  Names<keyof McrRecord, ReturnType<typeof toMcrRecord>>,
  Sends<Written<ReturnType<typeof toExplanation>>, Explanation>,
  Names<keyof Explanation, ReturnType<typeof toExplanation>>,
  Names<keyof Explanation['inputs'], ReturnType<typeof toExplanation>['inputs']>,
  Sends<ReturnType<typeof toCard>, Card>,
  Names<keyof Card, ReturnType<typeof toCard>>,
  Sends<HistorySent, History>,
  Names<keyof History, HistorySent>,
  Names<keyof HistoryPoint, HistorySent['points'][number]>,
  Sends<Written<EventsSent>, EventListing>,
  Names<keyof EventListing, EventsSent>,
  Names<keyof ListedEvent, EventsSent['events'][number]>,
  Sends<Written<FleetSent>, FleetPage>,
  Names<keyof FleetPage, FleetSent>,
  Names<keyof FleetEntry, FleetSent['machines'][number]>,
  Names<keyof FleetIndex, FleetSent['index']>,
  Sends<ActiveSent, ActiveMachines>,
  Names<keyof ActiveMachines, ActiveSent>,
  Names<keyof ActiveMachine, ActiveSent['machines'][number]>,
  Sends<ReturnType<typeof toBoundRecord>, McrRecord & Binding>,
  Sends<Written<ReturnType<typeof toBoundFleet>>, FleetPage & Binding>,
  Sends<ReturnType<typeof toDecisionState>, MonetizationState>,
  Names<keyof MonetizationState, ReturnType<typeof toDecisionState>>,
  Sends<ReturnType<typeof toPublishedDeployment>, DeploymentDocument>,
  Names<keyof DeploymentDocument, ReturnType<typeof toPublishedDeployment>>,
  Sends<ReturnType<typeof toVerifyRecord>, VerifyRecord>,
  Names<keyof VerifyRecord, ReturnType<typeof toVerifyRecord>>,
  Sends<ReturnType<typeof toReadinessReport>, Readiness>,
  Names<keyof Readiness, ReturnType<typeof toReadinessReport>>,
  Sends<ReturnType<typeof toStatusReport>, Status>,
  Names<keyof Status, ReturnType<typeof toStatusReport>>,
  Sends<ReturnType<typeof toChallenge>, ProviderChallenge>,
  Sends<Receipt, ChipReceipt>,
  Names<keyof ChipReceipt, Receipt>,
];
