/** List of the latest changes of ratings, from the feed of changes. */
import { FailureNotice, MachineLink, Section, Skeleton, When } from '../parts/components.tsx';
import { useQuery } from '../parts/queries.ts';
import { RatingMark } from '../parts/rating-mark.tsx';
import { RATINGS } from '../parts/texts.ts';
import { NO_MACHINE, NO_RATING_CHANGES } from './texts.ts';
import type { Change, ChangePage, Letter } from '../parts/wire.ts';

const REFRESH_SECONDS = 60;
const SHOWN = 8;
/** Changes of all kinds that are searched for those of ratings. */
const SEARCHED = 500;

export function RatingChanges() {
  const end = useQuery<ChangePage>('/changes?kinds=rating&limit=1', REFRESH_SECONDS);
  const range = end.response?.body;
  const after = range && Math.max(range.oldest_after, range.newest - SEARCHED);
  const query = useQuery<ChangePage>(
    after === undefined ? undefined : `/changes?after=${after}&kinds=rating&limit=${SEARCHED}`,
  );
  const failed = end.failure !== undefined ? end : query;
  // The deployment does not serve this route.
  if (failed.failure?.status === 404) return null;
  return (
    <Section title="Recent rating changes">
      {query.response !== undefined ? (
        <List changes={query.response.body.changes} />
      ) : failed.failure !== undefined ? (
        <FailureNotice query={failed} subject="list of rating changes" />
      ) : (
        <Skeleton lines={4} />
      )}
    </Section>
  );
}

function List({ changes }: { readonly changes: readonly Change[] }) {
  const latest = changes.slice(-SHOWN).toReversed();
  if (latest.length === 0) return <p class="quiet">{NO_RATING_CHANGES}</p>;
  return (
    <ul class="active">
      {latest.map(({ cursor, machine_id: id, from, to, observed_at: at }) => (
        <li key={cursor}>
          <MachineLink id={id} />
          <span class="rating">
            <Value letter={from} /> to <Value letter={to} />
          </span>
          <span class="quiet">
            <When seconds={at} />
          </span>
        </li>
      ))}
    </ul>
  );
}

function Value({ letter }: { readonly letter: string | null }) {
  if (letter === null) return <span class="quiet">{NO_MACHINE}</span>;
  return isLetter(letter) ? <RatingMark letter={letter} /> : <>{letter}</>;
}

function isLetter(text: string): text is Letter {
  return (RATINGS as readonly string[]).includes(text);
}
