/** Context of every action: the ports, and the configuration that responses depend on. Fixed at start. */
import type { BlockExplorers } from '../domain/identifiers/block-explorers.ts';
import type { Namespace } from '../domain/identifiers/namespace.ts';
import type { ActionState } from './action-state.ts';
import type { AltChain, BindingRegistry } from './alt-chain.ts';
import type { AltIndex, EventTimes, IndexCounters, IndexHealth, IndexStatus } from './indexes.ts';
import type { OnboardingConfig } from './onboarding.ts';
import type { Clock, Log, ProcessState, Timers, TrustedClock, WorkScope } from './runtime.ts';
import type { PaymentSources } from './payment-sources.ts';
import type { FxRates } from './rates.ts';
import type { StatementConfig } from './statements.ts';
import type { ReadReplica, Store } from './store.ts';
import type { MainChain } from './main-chain.ts';
import type { ImageRenderer, McpEndpoint, PageSource, PartnerData } from './presentation.ts';

/** Ports of the main chain, present when contract addresses are configured; otherwise the service is not initialized (decisions 5). */
export interface MainChainPorts {
  readonly chain: MainChain;
  readonly eventTimes: EventTimes;
  readonly index: IndexStatus;
  readonly counters: IndexCounters;
  /** Absent where no loop of this process reads the chain. */
  readonly indexHealth?: IndexHealth | undefined;
}

/** Ports of the alt chain, present when one is configured; otherwise its machines are homed elsewhere (decisions 5). */
export interface AltChainPorts {
  readonly chain: AltChain;
  readonly index: AltIndex;
  /** Returns whether the programs contradict the configuration: no machine is read then. Absent: they are not checked. */
  readonly isContradicted?: (() => boolean) | undefined;
  /** Returns whether this process has read accounts of machines within the last minute. Absent: it does not check. */
  readonly isReadable?: (() => boolean) | undefined;
  /** Absent where no loop of this process reads the chain. */
  readonly indexHealth?: IndexHealth | undefined;
}

export interface Ctx {
  readonly clock: Clock;
  /** Never set back; for durations and deadlines only. */
  readonly monotonicClock: Clock;
  /** Judges `clock`; ratings, decisions, Verify and chips ask it for the time. */
  readonly trustedClock: TrustedClock;
  readonly timers: Timers;
  readonly log: Log;
  readonly actionState: ActionState;
  /** Absent: reads of the chains name no caller. */
  readonly workScope?: WorkScope | undefined;
  readonly namespace: Namespace;
  /** Base of links in responses, without a trailing slash. */
  readonly publicUrl: string;
  /** Block explorers that the pages link to; absent: none. */
  readonly blockExplorers?: BlockExplorers | undefined;
  /** Poll interval of the index worker; after ten intervals without a head the index is stale. */
  readonly pollIntervalSeconds: number;
  readonly store: Store;
  /** Read replica for listings; absent when none is configured. */
  readonly readReplica?: ReadReplica | undefined;
  readonly fxRates: FxRates;
  /** Absent: no payment source is configured, and nothing is paid. */
  readonly paymentSources?: PaymentSources | undefined;
  readonly main: MainChainPorts | undefined;
  readonly alt: AltChainPorts | undefined;
  /** Undefined: none is configured, and the address-keyed routes are not initialized. */
  readonly bindings: BindingRegistry | undefined;
  /** Undefined: chip onboarding is off; its routes reject every token. */
  readonly onboarding: OnboardingConfig | undefined;
  /** Whether onboarding is off because its files are not the pinned certificates. */
  readonly isOnboardingRefused?: boolean;
  /** Absent: no statement is signed. */
  readonly statements?: StatementConfig | undefined;
  /** Undefined: partner data is not fetched. */
  readonly partnerData: PartnerData | undefined;
  /** State of the process for health checks. */
  readonly process?: ProcessState | undefined;
  /** Whether routes beyond the interface are served; on by default. */
  readonly additions?: 'on' | 'off';
  /** Absent: no pages are served. */
  readonly pages?: PageSource | undefined;
  /** Absent: no image is rendered, and the image routes are not registered. */
  readonly imageRenderer?: ImageRenderer | undefined;
  /** Absent: the Model Context Protocol is not served. */
  readonly mcp?: McpEndpoint | undefined;
}
