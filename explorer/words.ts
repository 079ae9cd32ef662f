/** Which words do the pages use? All of them stand here, so that they can be read in one go, and translated. */
import { formatCents, formatCount, formatDuration } from './formats.ts';
import type { Factor, Letter } from './wire.ts';

export const SITE_NAME = 'Machine ratings';

export const LETTER_MEANINGS: Readonly<Record<Letter, string>> = {
  AAA: 'the best there is',
  AA: 'excellent',
  A: 'very good',
  BBB: 'good',
  BB: 'fair',
  B: 'weak, but rated',
  NR: 'not rated',
  Provisioned: 'too young to be rated',
};

/** Best first. */
export const LETTERS = Object.keys(LETTER_MEANINGS) as readonly Letter[];

export const FACTOR_NAMES: Readonly<Record<Factor['name'], string>> = {
  revenue: 'Revenue',
  cadence: 'Regularity',
  trend: 'Trend',
  trust: 'Trust in its events',
  tenure: 'Time in service',
};

export const TRUST_LEVELS = ['self-reported', 'on-chain', 'hardware-signed'] as const;

/** Why an event adds nothing. */
export const JUDGEMENTS = {
  sound: '',
  malformed: '(not counted: malformed)',
  late: '(not counted: reported late)',
  early: '(not counted: dated ahead)',
} as const;

export const ATTESTED = {
  unverified: { text: 'not verified', tone: 'quiet' },
  verified: { text: 'verified', tone: 'good' },
  expired: { text: 'expired', tone: 'fair' },
  revoked: { text: 'revoked', tone: 'bad' },
} as const;

export const AVAILABILITIES = {
  available: { text: 'available', tone: 'good' },
  paused: { text: 'paused', tone: 'fair' },
  deactivated: { text: 'deactivated', tone: 'bad' },
  unreadable: { text: 'cannot be read', tone: 'quiet' },
} as const;

export const MONETIZATION_STATES = {
  PENDING: 'No decision yet',
  OPTED_IN: 'Opted in',
  OPTED_OUT: 'Opted out',
} as const;

export const TREND_WORDS = {
  up: 'rising',
  stable: 'steady',
  down: 'falling',
  insufficient: 'too little to tell',
} as const;

/** The measure of a factor as a sentence would have it. */
export function describeMeasure({ name, measure }: Factor): string {
  switch (name) {
    case 'revenue':
      return `${formatCents(measure.usd_cents)} counted, ${formatCents(measure.verified_usd_cents)} of it verified`;
    case 'cadence':
      return (
        `active in ${plural(measure.weeks, 'week')} on ${plural(measure.days, 'day')}; ` +
        `verified: ${plural(measure.verified_weeks, 'week')}, ${plural(measure.verified_days, 'day')}`
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
  if (basis === 'none' || percent === null) return 'too little to compare';
  const what = basis === 'revenue' ? 'revenue' : 'activity';
  return `${what} at ${formatCount(percent)}% of the period before`;
}

function describeTrust(source: string, percent: number): string {
  switch (source) {
    case 'flag':
      return 'no points while a negative flag is in force';
    case 'override':
      return `set to ${formatCount(percent)}% by an administrator`;
    case 'none':
      return 'no events to judge';
    default:
      return `${formatCount(percent)}% on average over its events`;
  }
}

export function plural(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`;
}

interface RemedyWords {
  readonly title: string;
  readonly remedy: string;
}

/** What a refused decision means for who signed it. */
export const DECISION_REMEDIES: Readonly<Record<string, string>> = {
  INVALID_SIGNATURE: 'The signature could not be read. Sign the message exactly as shown, with personal_sign.',
  UNAUTHORIZED_SIGNER: 'Only the accounts named above may decide. Switch the account in the wallet and sign again.',
  STALE_SIGNATURE: 'A newer decision is in force, or the message is too old. Make a new message and sign that.',
  MACHINE_NOT_BONDED: 'Renew the subscription of the machine first; opting out is always possible.',
  MACHINE_DEACTIVATED: 'The machine was stopped by the protocol. Opting out is still possible.',
  MACHINE_UNAVAILABLE:
    'The machine is paused or moving. Try again when it is back; opting out of a paused machine is possible.',
  MACHINE_HOMED_ELSEWHERE: 'Sign at a service that reads the home chain of the machine.',
  MACHINE_NOT_FOUND: 'There is no machine with this id now.',
  CHAIN_UNAVAILABLE: 'The chain cannot be read now. The signature stays good for five minutes: send it again soon.',
  INVALID_REQUEST: 'What was sent is not complete. Check the pasted signature.',
  INTERNAL_ERROR: 'The decision could not be stored. Nothing has changed: send it again.',
};

/** What stands in for a view that was refused. `subject` is what was asked for. */
export function describeRefusal(
  status: number,
  code: string | undefined,
  detail: string,
  homeChain: number | undefined,
  subject: string,
): RemedyWords {
  if (status === 0)
    return {
      title: 'The service was not reached',
      remedy: 'The connection may be down. Nothing is known about ' + subject + ' right now.',
    };
  if (status === 429)
    return {
      title: 'Too many questions',
      remedy: 'This address has asked too often in the last minute. The page asks again by itself.',
    };
  if (status === 404)
    return {
      title: 'Not found',
      remedy: `There is no ${subject} on the chains that this service reads: neither its main chain nor, where one is configured, its second chain.`,
    };
  if (status === 409 && code === 'MACHINE_HOMED_ELSEWHERE') {
    const where = homeChain === undefined ? 'another chain' : `the chain with ordinal ${homeChain}`;
    return {
      title: 'Lives on another chain',
      remedy: `This machine is homed on ${where}, which this service does not read. Ask a service that does.`,
    };
  }
  if (status === 400 || status === 422)
    return { title: 'Not an id', remedy: detail || 'The spelling is not one of a machine or an address.' };
  if (/relocating/i.test(detail))
    return {
      title: 'On the move',
      remedy:
        'The machine is moving from one chain to another. While it moves there is no rating; its history goes with it.',
    };
  if (/syncing/i.test(detail))
    return { title: 'Catching up', remedy: `${detail}. The answer will be here when the index has read that far.` };
  if (/stale|out of date/i.test(detail))
    return { title: 'Too old to show', remedy: `${detail}. An old listing is not shown as if it were new.` };
  if (/initialised/i.test(detail))
    return { title: 'Not set up', remedy: 'This deployment is not configured to read this.' };
  if (status >= 500)
    return {
      title: 'Cannot be read now',
      remedy: `${detail || 'The service could not read what it needs'}. No answer is better than a guess.`,
    };
  return { title: 'No answer', remedy: detail };
}

export function describeAge(seconds: number): string {
  return seconds < 2 ? 'just now' : `${formatDuration(seconds)} ago`;
}

export const CONTRACT_NAMES: Readonly<Record<string, string>> = {
  machine_registry: 'Machines',
  machine_state_and_sync: 'States',
  machine_subscription: 'Bonds',
  event_registry: 'Events',
  admin_flags: 'Flags',
};
