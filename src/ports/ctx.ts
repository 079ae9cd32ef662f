/** What every action is given first: the ports, and the settled configuration that answers depend on. Frozen at start. */
import type { Namespace } from '../domain/namespace.ts';
import type { AltChain } from './alt-chain.ts';
import type { AltIndex } from './alt-index.ts';
import type { BindingRegistry } from './binding-registry.ts';
import type { ChipIntake } from './chip-intake.ts';
import type { Clock } from './clock.ts';
import type { EventTimes } from './event-times.ts';
import type { FxRates } from './fx-rates.ts';
import type { IndexStatus } from './index-status.ts';
import type { ListCopy } from './list-store.ts';
import type { Log } from './log.ts';
import type { MainChain } from './main-chain.ts';
import type { PageSource } from './page-files.ts';
import type { ProcessStanding } from './process-standing.ts';
import type { PartnerData } from './partner-data.ts';
import type { PictureMaker } from './picture-maker.ts';
import type { Store } from './store.ts';

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
  readonly log: Log;
  readonly namespace: Namespace;
  /** Base of links in answers, without a trailing slash. */
  readonly publicUrl: string;
  /** Of the index worker; ten intervals without a head make the index stale. */
  readonly pollIntervalSeconds: number;
  readonly store: Store;
  /** A copy of the store that may lag; left out: there is none. */
  readonly lists?: ListCopy | undefined;
  readonly fxRates: FxRates;
  readonly main: MainChainPorts | undefined;
  readonly alt: AltChainPorts | undefined;
  /** Undefined: none is configured, and the address-keyed routes are not initialised. */
  readonly bindings: BindingRegistry | undefined;
  /** Undefined: Verify's onboarding is off, and nobody is admitted to it. */
  readonly chip: ChipIntake | undefined;
  /** Whether onboarding is off because its files are not the pinned certificates; left out: no. */
  readonly isChipRefused?: boolean;
  /** Undefined: partners' data are not fetched. */
  readonly partnerData: PartnerData | undefined;
  /** Left out: there is nothing to say. */
  readonly standing?: ProcessStanding | undefined;
  /** Whether what the interface does not ask for is served; left out: it is. */
  readonly additions?: 'on' | 'off';
  /** Left out: no pages are served. */
  readonly pages?: PageSource | undefined;
  /** Left out: nothing is drawn, and there is no route for it. */
  readonly pictures?: PictureMaker | undefined;
}
