/** Watchlist page: the watched machines and operators with what changed since the last visit. */
import { useEffect, useState } from 'preact/hooks';
import { Id, MachineLink, Section, ShortLink, When } from '../parts/components.tsx';
import { saveFile } from '../parts/downloads.ts';
import { shorten, toPlainText } from '../parts/formats.ts';
import { DID_PREFIX, machineDid } from '../parts/namespace.ts';
import { useQuery } from '../parts/queries.ts';
import { RemoveButton } from '../parts/remove-button.tsx';
import { operatorPath } from '../parts/routes.ts';
import { describeFailure, SITE_NAME } from '../parts/texts.ts';
import type { Change, Explanation, Fleet } from '../parts/wire.ts';
import { loadChangesSince, readCursor, selectChanges, storeCursor, type ChangesSince } from './changes-since.ts';
import {
  describeEarlier,
  FIRST_VISIT,
  KEPT_HERE,
  NOT_A_LIST,
  NOTHING_WATCHED,
  UNCHANGED,
  VALUE_NAMES,
  VALUES_UNCHANGED,
} from './texts.ts';
import { describeValue, nameValue, toFleetValues, toMachineValues } from './values.ts';
import {
  listWatched,
  mergeWatchlist,
  onWatchlistChange,
  rememberSeen,
  setWatched,
  type SeenValues,
  type WatchedItem,
} from './watchlist.ts';

export function WatchlistPage() {
  // The values of the last visit, which the visit itself replaces.
  const [before] = useState(listWatched);
  const [items, setItems] = useState(before);
  const [problem, setProblem] = useState('');
  const [since, setSince] = useState<ChangesSince>();
  useEffect(() => {
    if (before.length === 0) return undefined;
    const end = new AbortController();
    void loadChangesSince(readCursor(), end.signal).then((found) => {
      if (found === undefined || end.signal.aborted) return;
      setSince(found);
      storeCursor(found.newest);
    });
    return () => end.abort();
  }, []);
  useEffect(() => {
    document.title = `Watchlist | ${SITE_NAME}`;
    return onWatchlistChange(() => setItems(listWatched()));
  }, []);
  const load = async (file: File | undefined) => {
    if (file === undefined) return;
    try {
      setProblem(mergeWatchlist(await file.text()) === 0 ? NOT_A_LIST : '');
    } catch {
      setProblem(NOT_A_LIST);
    }
  };
  return (
    <>
      <header class="card">
        <h1>Watchlist</h1>
        <p class="note">{KEPT_HERE}</p>
        <p class="buttons">
          <button type="button" class="second" disabled={items.length === 0} onClick={() => save(items)}>
            Export
          </button>
          <label class="file">
            Import{' '}
            <input
              type="file"
              accept="application/json,.json"
              onChange={({ currentTarget: { files } }) => void load(files?.[0])}
            />
          </label>
        </p>
        <p role="status" class="problem">
          {problem}
        </p>
      </header>
      {items.length === 0 ? (
        <p class="quiet">{NOTHING_WATCHED}</p>
      ) : (
        <Section title="Watched">
          <ul class="log watched">
            {items.map((item) => (
              <Item
                key={`${item.kind} ${item.id}`}
                item={item}
                since={since}
                seen={before.find(({ kind, id }) => kind === item.kind && id === item.id)?.seen ?? {}}
              />
            ))}
          </ul>
        </Section>
      )}
    </>
  );
}

function Item({
  item,
  seen,
  since,
}: {
  readonly item: WatchedItem;
  readonly seen: SeenValues;
  readonly since: ChangesSince | undefined;
}) {
  const isMachine = item.kind === 'machine';
  const machine = useQuery<Explanation>(isMachine ? `/mcr/${machineDid(item.id)}/explanation` : undefined, 60);
  const fleet = useQuery<Fleet>(
    isMachine ? undefined : `/operator/${DID_PREFIX}${item.id}/machines?offset=0&limit=1`,
    60,
  );
  const values =
    machine.response !== undefined ? toMachineValues(machine.response.body) : toFleetValues(fleet.response?.body);
  const failure = machine.failure ?? fleet.failure;
  const text = values && JSON.stringify(values);
  useEffect(() => {
    if (values !== undefined) rememberSeen(item, values);
  }, [text]);
  const changed = Object.keys(values ?? {}).filter((name) => seen[name] !== undefined && seen[name] !== values![name]);
  const isFirst = Object.keys(seen).length === 0;
  const changes = isFirst || since === undefined ? [] : selectChanges(since.changes, item);
  return (
    <li>
      {isMachine ? (
        <MachineLink id={item.id} />
      ) : (
        <ShortLink id={item.id} href={operatorPath(item.id)} label="operator" />
      )}
      <div>
        {values !== undefined && Object.values(values).join(', ')}
        {values === undefined && failure === undefined && 'Loading…'}
        {values === undefined &&
          failure !== undefined &&
          describeFailure(failure.status, failure.code, toPlainText(failure.detail), failure.homeChain, item.kind)
            .title}
        {values !== undefined && (
          <span class={changed.length > 0 ? 'changed' : 'quiet'}>
            {' ('}
            {isFirst
              ? FIRST_VISIT
              : changed.length > 0
                ? changed.map((name) => `${nameValue(name)}: ${seen[name]!} → ${values[name]!}`).join('; ')
                : since?.isComplete === true && changes.length === 0
                  ? UNCHANGED
                  : VALUES_UNCHANGED}
            {')'}
          </span>
        )}{' '}
        <RemoveButton
          label={`${item.kind} ${shorten(item.id, 6)}`}
          class="copy"
          remove={() => setWatched(item, false)}
        />
        {changes.length > 0 && <ObservedChanges changes={changes} isOfMachine={isMachine} />}
      </div>
    </li>
  );
}

/** Newest changes of one entry that are shown. */
const SHOWN_CHANGES = 5;

function ObservedChanges({
  changes,
  isOfMachine,
}: {
  readonly changes: readonly Change[];
  readonly isOfMachine: boolean;
}) {
  const earlier = changes.length - SHOWN_CHANGES;
  return (
    <ul class="observed">
      {changes.slice(-SHOWN_CHANGES).map((change) => (
        <ObservedChange key={change.cursor} change={change} isOfMachine={isOfMachine} />
      ))}
      {earlier > 0 && <li class="changed">{describeEarlier(earlier)}</li>}
    </ul>
  );
}

function ObservedChange({ change, isOfMachine }: { readonly change: Change; readonly isOfMachine: boolean }) {
  const { kind, machine_id: id, from, to, observed_at: at } = change;
  return (
    <li class="changed">
      {!isOfMachine && (
        <>
          <MachineLink id={id} />{' '}
        </>
      )}
      {VALUE_NAMES[kind]}: <Value kind={kind} value={from} /> → <Value kind={kind} value={to} /> (
      <When seconds={at} />)
    </li>
  );
}

function Value({ kind, value }: { readonly kind: Change['kind']; readonly value: string | null }) {
  const text = describeValue(kind, value);
  return text === value && text.length > 20 ? (
    <Id id={text} label={`the account ${shorten(text, 6)}`} ends={6} />
  ) : (
    <>{text}</>
  );
}

function save(items: readonly WatchedItem[]): void {
  saveFile('watchlist.json', 'application/json', JSON.stringify(items, null, 2));
}
