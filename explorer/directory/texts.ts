/** Texts of the directory. */
import { formatCount } from '../parts/formats.ts';
import { FLAG_STATES, MONETIZATION_STATES, plural, SUBSCRIPTION_STATES, VERIFICATION_STATES } from '../parts/texts.ts';
import { chains } from '../parts/chains.ts';
import type { DirectorySummary } from '../parts/wire.ts';

export const LEAD =
  'Every machine of this deployment as it was last observed at a final block. The page of a machine shows its current rating.';
export const NO_MATCHES = 'No machine matches the filters.';
export const NO_MACHINES = 'This deployment has no machines yet.';
export const BY_ID = 'The machines of one operator or owner are ordered by id.';
export const INVALID_HOLDER = 'Enter an address (0x and 40 hex digits), or the key of an alt-chain account.';

/** Members of an entry that are filters with a few values. */
export type FilterName = keyof DirectorySummary['counts'];

interface Filter {
  readonly name: FilterName;
  readonly label: string;
  readonly options: readonly { readonly value: string; readonly text: string }[];
}

const RATED = ['AAA', 'AA', 'A', 'BBB', 'BB', 'B'];

export const FILTERS: readonly Filter[] = [
  {
    name: 'rating',
    label: 'Rating',
    options: [
      { value: RATED.join(), text: 'AAA to B' },
      ...[...RATED, 'NR', 'Provisioned'].map((value) => ({ value, text: value })),
    ],
  },
  { name: 'bond', label: 'Bond', options: toOptions(SUBSCRIPTION_STATES, ({ text }) => text) },
  { name: 'flag', label: 'Flag', options: toOptions(FLAG_STATES, (text) => text) },
  { name: 'kyb', label: 'KYB', options: toOptions(VERIFICATION_STATES, ({ text }) => text) },
  { name: 'chip', label: 'Chip', options: toOptions(VERIFICATION_STATES, ({ text }) => text) },
  { name: 'opt_in', label: 'Opt-in', options: toOptions(MONETIZATION_STATES, (text) => text) },
  { name: 'home', label: 'Home', options: toOptions({ ...chains }, ({ name }) => name) },
];

function toOptions<T>(texts: Readonly<Record<string, T>>, textOf: (value: T) => string) {
  return Object.entries(texts).map(([value, text]) => ({ value, text: textOf(text) }));
}

/** Up to this number the service counts machines that are not listed. */
const MAX_COUNTED_UNLISTED = 1_000;

/** Days of the choice of activity. */
export const ACTIVITY_DAYS = [7, 30, 90, 365] as const;

export function describeUnlisted(count: number): string {
  const which =
    count >= MAX_COUNTED_UNLISTED
      ? `${formatCount(count)} machines or more are`
      : `${plural(count, 'machine')} ${count === 1 ? 'is' : 'are'}`;
  return `${which} in no list of this deployment: not observed yet, or relocating to another chain.`;
}

export function describeExamined(count: number): string {
  return `${plural(count, 'machine')} found so far. Few machines match: the next page continues the search.`;
}
