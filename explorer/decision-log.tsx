/** Decision log of a machine: the decisions that were in force, newest first, fetched when it is opened. */
import { useState } from 'preact/hooks';
import { FailureNotice, Id, Skeleton, When } from './components.tsx';
import { useQuery } from './queries.ts';
import type { DecisionLog as Log, LoggedDecision } from './wire.ts';

export function DecisionLog({ did }: { readonly did: string }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>Decision log</summary>
      {isOpen && <Page did={did} cursor={undefined} />}
    </details>
  );
}

function Page({ did, cursor }: { readonly did: string; readonly cursor: number | undefined }) {
  const [hasMore, setHasMore] = useState(false);
  const query = useQuery<Log>(`/machine/${did}/monetization/history${cursor === undefined ? '' : `?cursor=${cursor}`}`);
  const { response, failure } = query;
  if (response === undefined) {
    return failure === undefined ? <Skeleton lines={2} /> : <FailureNotice query={query} subject="decision log" />;
  }
  const { decisions, next_cursor: next, checkpoint } = response.body;
  return (
    <>
      {decisions.length === 0 && <p>No decision yet.</p>}
      <ul class="decisions">
        {decisions.map((decision) => (
          <Decision key={decision.timestamp} decision={decision} />
        ))}
      </ul>
      {checkpoint !== undefined && <p>{checkpoint.head.count} older decisions were removed after their retention.</p>}
      {next !== null && !hasMore && (
        <p>
          <button type="button" class="second" onClick={() => setHasMore(true)}>
            Show older decisions
          </button>
        </p>
      )}
      {next !== null && hasMore && <Page did={did} cursor={next} />}
    </>
  );
}

function Decision({ decision }: { readonly decision: LoggedDecision }) {
  const { opted_in: optedIn, signer, timestamp, authority, hash } = decision;
  return (
    <li>
      {optedIn ? 'Opted in' : 'Opted out'} by <Id id={signer} label="signer" />, <When seconds={timestamp} />
      {authority === null ? (
        <>. From before the log was chained: nothing proves it.</>
      ) : (
        <>
          , entitled at block {authority.block.number}. Hash <Id id={hash} label="hash" />.
        </>
      )}
    </li>
  );
}
