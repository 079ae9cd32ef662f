/** Texts shared by the pages: names of ratings, factors, states and contracts, measurements, and help for errors. */
import { nameHomeChain } from '../../src/domain/identifiers/chain-names.ts';
import { formatCents, formatCount, formatDuration } from './formats.ts';
import type { Factor, Letter } from './wire.ts';

export const SITE_NAME = 'Machine ratings';

export const RATING_MEANINGS: Readonly<Record<Letter, string>> = {
  AAA: 'highest rating',
  AA: 'excellent',
  A: 'very good',
  BBB: 'good',
  BB: 'fair',
  B: 'weak',
  NR: 'not rated',
  Provisioned: 'not enough history for a rating',
};

/** Returns whether a letter comes with a score. */
export const isRated = (letter: Letter) => letter !== 'NR' && letter !== 'Provisioned';

/** Best first. */
export const RATINGS = Object.keys(RATING_MEANINGS) as readonly Letter[];

export const FACTOR_NAMES: Readonly<Record<Factor['name'], string>> = {
  revenue: 'Revenue',
  cadence: 'Regularity',
  trend: 'Trend',
  trust: 'Data assurance',
  tenure: 'Time in service',
};

export const TRUST_LEVELS = ['self-reported', 'on-chain', 'hardware-signed'] as const;

/** Reasons why an event does not count toward the rating. */
export const EVENT_EXCLUSIONS = {
  sound: '',
  malformed: '(not counted: malformed)',
  late: '(not counted: reported late)',
  early: '(not counted: dated in the future)',
} as const;

export const VERIFICATION_STATES = {
  unverified: { text: 'not verified', tone: 'quiet' },
  verified: { text: 'verified', tone: 'good' },
  expired: { text: 'expired', tone: 'fair' },
  revoked: { text: 'revoked', tone: 'bad' },
} as const;

export const AVAILABILITY_STATES = {
  available: { text: 'available', tone: 'good' },
  paused: { text: 'paused', tone: 'fair' },
  deactivated: { text: 'deactivated', tone: 'bad' },
  unreadable: { text: 'unknown', tone: 'quiet' },
} as const;

/** State of the bond's subscription. In Grace the bond counts, and ends soon. */
export const SUBSCRIPTION_STATES = {
  NotActivated: { text: 'never bonded', tone: 'bad' },
  Active: { text: 'bonded', tone: 'good' },
  Grace: { text: 'bonded, in grace', tone: 'fair' },
  Runoff: { text: 'expired, in runoff', tone: 'bad' },
  Terminated: { text: 'terminated', tone: 'bad' },
} as const;

export const FLAG_STATES = {
  none: 'none',
  in_force: 'in force',
  ended: 'lapsed',
} as const;

export const MONETIZATION_STATES = {
  PENDING: 'No decision yet',
  OPTED_IN: 'Opted in',
  OPTED_OUT: 'Opted out',
} as const;

export const TREND_TEXTS = {
  up: 'rising',
  stable: 'stable',
  down: 'falling',
  insufficient: 'not enough data',
} as const;

export const NOT_AVAILABLE = 'Not available';

/** Describes the measure of a factor in a short phrase. */
export function describeMeasure({ name, measure, points_hundredths: points }: Factor): string {
  switch (name) {
    case 'revenue':
      if (measure.usd_cents === 0 && points > 0) return 'no revenue in the last 14 weeks; activity earns the points';
      return `${formatCents(measure.usd_cents)} in the last 14 weeks, ${formatCents(measure.verified_usd_cents)} of it verified`;
    case 'cadence':
      return (
        `active on ${plural(measure.days, 'day')} in ${plural(measure.weeks, 'week')}; ` +
        `verified on ${plural(measure.verified_days, 'day')} in ${plural(measure.verified_weeks, 'week')}`
      );
    case 'trend':
      return describeTrend(measure);
    case 'trust':
      return describeTrust(measure.source, measure.percent_hundredths / 100);
    case 'tenure':
      return plural(measure.weeks, 'week');
  }
}

function describeTrend({ basis, percent }: Extract<Factor, { name: 'trend' }>['measure']): string {
  if (basis === 'none' || percent === null) return 'not enough data to compare';
  const what = basis === 'revenue' ? 'revenue' : 'activity';
  return `${what} at ${formatCount(percent)}% of the previous period`;
}

function describeTrust(source: string, percent: number): string {
  switch (source) {
    case 'flag':
      return 'no points while a negative flag is in force';
    case 'override':
      return `set to ${formatCount(percent)}% by an administrator`;
    case 'none':
      return 'no qualifying events';
    default:
      return `events carry ${formatCount(percent)}% of the full weight on average`;
  }
}

export function plural(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** Follows the number of a block; empty where the distance is unknown. */
export function describeLag(blocks: number | null): string {
  return blocks === null ? '' : `, ${plural(blocks, 'block')} behind the chain head`;
}

/** What to do after the service rejected a decision, by error code. */
export const DECISION_ERROR_HELP: Readonly<Record<string, string>> = {
  INVALID_SIGNATURE: 'Sign the exact message shown above with personal_sign, then send the signature unchanged.',
  UNAUTHORIZED_SIGNER:
    'Only the accounts listed above may sign. Switch to one of them in your wallet, then sign again.',
  STALE_SIGNATURE: 'The message has expired or a newer decision is in force. Create a new message and sign it.',
  MACHINE_NOT_BONDED: 'Bond the machine, wait for confirmation, then sign again. Opting out is always possible.',
  MACHINE_DEACTIVATED: 'The protocol deactivated this machine, so it cannot opt in. Opting out is still possible.',
  MACHINE_UNAVAILABLE:
    'The machine is paused or relocating. Try again when it is available. A paused machine can opt out, and so can a relocating one on the chain that holds it.',
  MACHINE_HOMED_ELSEWHERE: "Use a service that reads the machine's home chain.",
  MACHINE_NOT_FOUND: 'No machine with this id exists now. Check the id.',
  CHAIN_UNAVAILABLE: 'The chain cannot be read now. The signature is valid for five minutes: send it again soon.',
  INVALID_REQUEST: 'The request is malformed. Check the pasted signature and send it again.',
  INTERNAL_ERROR: 'The decision was not stored and nothing changed. Send it again.',
};
export const DECISION_DEFAULT_HELP = 'Nothing changed. Try again.';
/** After a lost response it is unknown whether the decision was stored. */
export const DECISION_LOST_HELP =
  'Check your connection. Then reload the page to see the decision in force before you try again.';

interface FailureText {
  readonly title: string;
  readonly remedy: string;
}

export function isRelocating({ detail }: { readonly detail: string }): boolean {
  return /relocating/i.test(detail);
}

export const RETRIES = 'The page retries automatically.';

/** Describes a failed request and what to do next. `subject` names what was requested, without an article. */
export function describeFailure(
  status: number,
  code: string | undefined,
  detail: string,
  homeChain: number | undefined,
  subject: string,
): FailureText {
  if (status === 0)
    return { title: 'Service unreachable', remedy: `The service did not respond. Check your connection. ${RETRIES}` };
  if (status === 429)
    return {
      title: 'Rate limit exceeded',
      remedy: `Your address sent too many requests in the last minute. ${RETRIES}`,
    };
  if (status === 404)
    return {
      title: 'Not found',
      remedy: `No ${subject} exists on the chains that this service reads. Check the spelling, or use a service that reads another chain.`,
    };
  if (status === 409 && code === 'MACHINE_HOMED_ELSEWHERE') {
    const chain =
      homeChain === undefined ? 'another chain' : (nameHomeChain(homeChain) ?? `the protocol's chain ${homeChain}`);
    return {
      title: 'Homed on another chain',
      remedy: `This machine is registered on ${chain}, which this service does not read. Use a service that reads it.`,
    };
  }
  if (status === 400 || status === 422)
    return { title: 'Invalid id', remedy: detail || 'This is not a valid machine id or address. Check it.' };
  if (isRelocating({ detail }))
    return {
      title: 'Relocating',
      remedy: `The machine is moving to another chain. Its rating is unavailable until the move is complete. ${RETRIES}`,
    };
  if (/syncing/i.test(detail))
    return { title: 'Syncing', remedy: `${detail}. The data appears when the index has caught up. ${RETRIES}` };
  if (/stale|out of date/i.test(detail))
    return { title: 'Out of date', remedy: `${detail}. Outdated data is not shown as current. ${RETRIES}` };
  if (/initialised/i.test(detail))
    return { title: 'Not configured', remedy: 'This deployment is not configured to read this data.' };
  if (status >= 500)
    return {
      title: 'Temporarily unavailable',
      remedy: `${detail || 'The service could not read the data'}. The current value is unknown. ${RETRIES}`,
    };
  return { title: 'Request failed', remedy: detail || `The service returned status ${status}.` };
}

export function describeAge(seconds: number): string {
  return seconds < 2 ? 'just now' : `${formatDuration(seconds)} ago`;
}

/** Describes through which time the events of a home chain are searched for payments. */
export function describeSearch(ageSeconds: number | null): string {
  if (ageSeconds === null) return 'no events searched yet; verdicts wait';
  return `events searched up to ${describeAge(ageSeconds)}; verdicts on later ones wait`;
}

export const CONTRACT_NAMES: Readonly<Record<string, string>> = {
  machine_registry: 'Machine registry',
  machine_state_and_sync: 'Machine state',
  machine_subscription: 'Subscriptions',
  event_registry: 'Event registry',
  admin_flags: 'Admin flags',
};
