/** What every action is given first: the ports, and the settled configuration that answers depend on. Frozen at start. */
import type { Namespace } from '../domain/identifiers/namespace.ts';
import type { ActionState } from './action-state.ts';
import type { AltChain, BindingRegistry } from './alt-chain.ts';
import type { AltIndex, EventTimes, IndexStatus } from './indexes.ts';
import type { OnboardingConfig } from './onboarding.ts';
import type { Clock, Log, ProcessState, Timers } from './runtime.ts';
import type { FxRates } from './rates.ts';
import type { ReadReplica, Store } from './store.ts';
import type { MainChain } from './main-chain.ts';
import type { PageSource, PartnerData, ImageRenderer } from './presentation.ts';

/** Present when contract addresses are configured; without it the service is not initialised (decisions 5). */
export interface MainChainPorts {
  readonly chain: MainChain;
  readonly eventTimes: EventTimes;
  readonly index: IndexStatus;
}

/** Present when an alt chain is configured; without it its machines are homed elsewhere (decisions 5). */
export interface AltChainPorts {
  readonly chain: AltChain;
  readonly index: AltIndex;
}

export interface Ctx {
  readonly clock: Clock;
  /** Never set back; for durations and deadlines only. */
  readonly monotonicClock: Clock;
  readonly timers: Timers;
  readonly log: Log;
  readonly actionState: ActionState;
  readonly namespace: Namespace;
  /** Base of links in answers, without a trailing slash. */
  readonly publicUrl: string;
  /** Of the index worker; ten intervals without a head make the index stale. */
  readonly pollIntervalSeconds: number;
  readonly store: Store;
  /** A copy of the store that may lag; left out: there is none. */
  readonly readReplica?: ReadReplica | undefined;
  readonly fxRates: FxRates;
  readonly main: MainChainPorts | undefined;
  readonly alt: AltChainPorts | undefined;
  /** Undefined: none is configured, and the address-keyed routes are not initialised. */
  readonly bindings: BindingRegistry | undefined;
  /** Undefined: Verify's onboarding is off, and nobody is admitted to it. */
  readonly onboarding: OnboardingConfig | undefined;
  /** Whether onboarding is off because its files are not the pinned certificates; left out: no. */
  readonly isOnboardingRefused?: boolean;
  /** Undefined: partners' data are not fetched. */
  readonly partnerData: PartnerData | undefined;
  /** Left out: there is nothing to say. */
  readonly process?: ProcessState | undefined;
  /** Whether what the interface does not ask for is served; left out: it is. */
  readonly additions?: 'on' | 'off';
  /** Left out: no pages are served. */
  readonly pages?: PageSource | undefined;
  /** Left out: nothing is drawn, and there is no route for it. */
  readonly imageRenderer?: ImageRenderer | undefined;
}
