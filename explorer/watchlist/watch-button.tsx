/** Button that adds a machine or operator to the watchlist, or removes it. */
import { useEffect, useState } from 'preact/hooks';
import { isWatched, onWatchlistChange, setWatched, type WatchedEntry } from './watchlist.ts';

export function WatchButton({ entry: { kind, id } }: { readonly entry: WatchedEntry }) {
  const [isOn, setIsOn] = useState(() => isWatched({ kind, id }));
  const [isBlocked, setIsBlocked] = useState(false);
  useEffect(() => {
    const read = () => setIsOn(isWatched({ kind, id }));
    read();
    return onWatchlistChange(read);
  }, [kind, id]);
  return (
    <>
      <button
        type="button"
        class="second"
        aria-pressed={isOn}
        onClick={() => setIsBlocked(!setWatched({ kind, id }, !isOn))}
      >
        {isOn ? 'Watching' : 'Watch'}
      </button>
      <span role="status">{isBlocked && 'This browser blocks storage.'}</span>
    </>
  );
}
