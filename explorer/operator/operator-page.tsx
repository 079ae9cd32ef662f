/** Operator and wallet page: the machines, their ratings, and the index lag. */
import { useEffect, useState } from 'preact/hooks';
import { requestJson, useQuery, type Query } from '../shared/queries.ts';
import { formatCount, shorten } from '../shared/formats.ts';
import { RatingMark } from '../shared/rating-mark.tsx';
import { CopyButton, Id, Mark, FailureNotice, Section, Skeleton, StaleNotice } from '../shared/components.tsx';
import { DID_PREFIX } from '../shared/namespace.ts';
import { isAddress, machinePath } from '../shared/routes.ts';
import type { BoundRating, Fleet } from '../shared/wire.ts';
import { describeAge, plural, RATINGS, SITE_NAME } from '../shared/texts.ts';

const PAGE = 20;
/** Pages fetched for sorting and for the rating distribution. */
const MAX_PAGES = 10;

type Machine = Fleet['machines'][number];

/** Shows an operator address of the main chain, or a Solana wallet and the machines it is bound to. */
export function OperatorPage({ address, isWallet = false }: { readonly address: string; readonly isWallet?: boolean }) {
  useEffect(() => {
    document.title = `${isWallet ? 'Wallet' : 'Operator'} ${shorten(address, 4)} | ${SITE_NAME}`;
  }, [address]);
  if (!isWallet && !isAddress(address)) {
    return (
      <div class="notice">
        <h1>Invalid address</h1>
        <p>
          <bdi>{address.slice(0, 100)}</bdi> is not an operator address. An operator address is 0x followed by 40 hex
          digits. <a href="/">Go to search</a>
        </p>
      </div>
    );
  }
  const base = isWallet ? `/solana/operator/${address}/machines` : `/operator/${DID_PREFIX}${address}/machines`;
  return (
    <>
      <header class="card">
        <h1>
          {isWallet ? 'Wallet' : 'Operator'} <span title={address}>{shorten(address, 6)}</span>{' '}
          <CopyButton text={address} label="the address" />
        </h1>
        {isWallet && <BoundMachine wallet={address} />}
      </header>
      <Listing base={base} address={address} isLinked={!isWallet} />
    </>
  );
}

/** Shows the rating of the legacy machine that a wallet is bound to. */
function BoundMachine({ wallet }: { readonly wallet: string }) {
  const rating = useQuery<BoundRating>(`/solana/mcr/${wallet}`);
  const { response } = rating;
  if (response === undefined) {
    return rating.failure === undefined ? (
      <Skeleton lines={2} />
    ) : (
      <FailureNotice query={rating} subject="machine bound to this wallet" />
    );
  }
  const { mcr, mcr_score, summary, bond_status, evm_address } = response.body;
  return (
    <>
      <p class="summary">{summary}</p>
      <ul class="marks">
        <Mark label="Rating" text={`${mcr}, ${mcr_score} of 100`} tone="quiet" />
        <Mark label="Bond" text={bond_status} tone={bond_status === 'bonded' ? 'good' : 'bad'} />
      </ul>
      <p>
        Bound to <Id id={evm_address} label="bound address" />
      </p>
    </>
  );
}

interface ListingProps {
  readonly base: string;
  readonly address: string;
  readonly isLinked: boolean;
}

function Listing({ base, address, isLinked }: ListingProps) {
  const first = useQuery<Fleet>(`${base}?offset=0&limit=${PAGE}`, 60);
  const { response, failure } = first;
  if (response === undefined) {
    return failure === undefined ? (
      <div class="card">
        <Skeleton lines={8} />
      </div>
    ) : (
      <FailureNotice query={first} subject="operator with this address" />
    );
  }
  return (
    <Machines key={response.receivedAtMilliseconds} first={first} base={base} address={address} isLinked={isLinked} />
  );
}

function Machines({ first, base, address, isLinked }: ListingProps & { readonly first: Query<Fleet> }) {
  const { machines, pagination, unreadable, index } = first.response!.body;
  const [rest, setRest] = useState<{ machines: readonly Machine[]; unreadable: number; isComplete: boolean }>({
    machines: [],
    unreadable: 0,
    isComplete: pagination.total <= PAGE,
  });

  useEffect(() => {
    let isCancelled = false;
    const load = async () => {
      const limit = Math.min(pagination.total, PAGE * MAX_PAGES);
      const more: Machine[] = [];
      let unreadable = 0;
      for (let offset = PAGE; offset < limit; offset += PAGE) {
        const { response } = await requestJson<Fleet>(`${base}?offset=${offset}&limit=${PAGE}`);
        if (isCancelled) return;
        if (response === undefined) {
          setRest({ machines: more, unreadable, isComplete: false });
          return;
        }
        more.push(...response.body.machines);
        unreadable += response.body.unreadable;
      }
      setRest({ machines: more, unreadable, isComplete: pagination.total <= limit });
    };
    if (pagination.total > PAGE) void load();
    return () => {
      isCancelled = true;
    };
  }, [base, pagination.total]);

  const all = [...machines, ...rest.machines];
  const missing = unreadable + rest.unreadable;
  return (
    <>
      <Section title={plural(pagination.total, 'machine')}>
        {all.length > 0 && <Distribution machines={all} />}
        {missing > 0 && (
          <p class="notice fair">
            {plural(missing, 'machine')} could not be read and {missing === 1 ? 'is' : 'are'} not listed. The total
            includes {missing === 1 ? 'it' : 'them'}.
          </p>
        )}
        <p class="note">
          Indexed up to block {formatCount(index.indexed_block)}, {plural(index.lag_blocks, 'block')} behind the chain
          head, which was read {describeAge(index.head_observed_age_seconds)}.
          {index.alt_snapshot_age_seconds !== null &&
            ` Machines on Solana were read ${describeAge(index.alt_snapshot_age_seconds)}.`}
        </p>
        <StaleNotice query={first} subject="this operator" />
      </Section>
      {all.length > 0 && <Table machines={all} isComplete={rest.isComplete} address={address} isLinked={isLinked} />}
    </>
  );
}

function Distribution({ machines }: { readonly machines: readonly Machine[] }) {
  const counts = RATINGS.map((letter) => ({ letter, count: machines.filter(({ mcr }) => mcr === letter).length }));
  const shown = counts.filter(({ count }) => count > 0);
  let x = 0;
  return (
    <>
      <svg class="spread" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
        {shown.map(({ letter, count }) => {
          const width = (100 * count) / machines.length;
          const left = x;
          x += width;
          return (
            <rect
              key={letter}
              class={`letter-${letter.toLowerCase()}`}
              x={left}
              width={Math.max(0.5, width - 0.3)}
              height="6"
            />
          );
        })}
      </svg>
      <ul class="spread-names">
        {shown.map(({ letter, count }) => (
          <li key={letter}>
            <span class={`swatch letter-${letter.toLowerCase()}`} aria-hidden="true" /> {letter}{' '}
            <strong>{count}</strong>
          </li>
        ))}
      </ul>
    </>
  );
}

const COLUMNS = [
  { key: 'machine', name: 'Machine', isNumber: false },
  { key: 'rating', name: 'Rating', isNumber: false },
  { key: 'score', name: 'Score', isNumber: true },
  { key: 'bond', name: 'Bond', isNumber: false },
  { key: 'flag', name: 'Flag', isNumber: false },
  { key: 'events', name: 'Events', isNumber: true },
] as const;
type Column = (typeof COLUMNS)[number]['key'];

const ORDERS: Readonly<Record<Column, (a: Machine, b: Machine) => number>> = {
  machine: (a, b) => a.machine_id.length - b.machine_id.length || (a.machine_id < b.machine_id ? -1 : 1),
  rating: (a, b) => RATINGS.indexOf(a.mcr) - RATINGS.indexOf(b.mcr),
  score: (a, b) => a.mcr_score - b.mcr_score,
  bond: (a, b) => a.bond_status.localeCompare(b.bond_status),
  flag: (a, b) => Number(a.negative_flag) - Number(b.negative_flag),
  events: (a, b) => a.event_count - b.event_count,
};

interface TableProps {
  readonly machines: readonly Machine[];
  readonly isComplete: boolean;
  readonly address: string;
  readonly isLinked: boolean;
}

function Table({ machines, isComplete, address, isLinked }: TableProps) {
  const [{ column, isDescending }, setOrder] = useState<{ column: Column; isDescending: boolean }>({
    column: 'score',
    isDescending: true,
  });
  const [page, setPage] = useState(0);
  const sorted = [...machines].sort((a, b) => (isDescending ? -1 : 1) * ORDERS[column](a, b));
  const pages = Math.ceil(sorted.length / PAGE);
  const rows = sorted.slice(page * PAGE, (page + 1) * PAGE);
  return (
    <Section title="Machines">
      {!isComplete && (
        <p class="note">
          Shows the first {formatCount(machines.length)} machines by id. Sorting applies to these only.
        </p>
      )}
      <div class="scroll tall" tabIndex={0} role="group" aria-label="Machines of the operator">
        <table class="list">
          <thead>
            <tr>
              {COLUMNS.map(({ key, name, isNumber }) => (
                <th
                  key={key}
                  scope="col"
                  class={isNumber ? 'number' : undefined}
                  aria-sort={column === key ? (isDescending ? 'descending' : 'ascending') : undefined}
                >
                  <button
                    type="button"
                    onClick={() => {
                      setOrder({ column: key, isDescending: column === key ? !isDescending : isNumber });
                      setPage(0);
                    }}
                  >
                    {name}
                    <span aria-hidden="true">{column === key ? (isDescending ? ' ↓' : ' ↑') : ''}</span>
                  </button>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((machine) => (
              <Row key={machine.machine_id} machine={machine} isLinked={isLinked} />
            ))}
          </tbody>
        </table>
      </div>
      <p class="buttons">
        {pages > 1 && (
          <>
            <button type="button" class="second" disabled={page === 0} onClick={() => setPage(page - 1)}>
              Previous
            </button>
            <span>
              Page {page + 1} of {pages}
            </span>
            <button type="button" class="second" disabled={page + 1 === pages} onClick={() => setPage(page + 1)}>
              Next
            </button>
          </>
        )}
        <button type="button" class="second" onClick={() => saveCsv(sorted, address)}>
          Download CSV
        </button>
      </p>
    </Section>
  );
}

function Row({ machine, isLinked }: { readonly machine: Machine; readonly isLinked: boolean }) {
  const { machine_id: id, mcr, mcr_score, bond_status, negative_flag, event_count } = machine;
  return (
    <tr>
      <td data-label="Machine">
        {isLinked ? (
          <a href={machinePath(id)} title={id}>
            #{shorten(id, 8)}
          </a>
        ) : (
          <span title={id}>#{shorten(id, 8)}</span>
        )}
      </td>
      <td data-label="Rating">
        <RatingMark letter={mcr} />
      </td>
      <td data-label="Score" class="number">
        {mcr_score}
      </td>
      <td data-label="Bond">{bond_status}</td>
      <td data-label="Flag">{negative_flag ? 'in force' : 'none'}</td>
      <td data-label="Events" class="number">
        {formatCount(event_count)}
      </td>
    </tr>
  );
}

/** Downloads a CSV file. Ids are quoted, so that a spreadsheet does not round them. */
function saveCsv(machines: readonly Machine[], address: string): void {
  const header = 'machine_id,did,rating,score,bond_status,negative_flag,event_count';
  const lines = machines.map((each) =>
    [
      `"${each.machine_id}"`,
      `"${each.did}"`,
      each.mcr,
      each.mcr_score,
      each.bond_status,
      each.negative_flag,
      each.event_count,
    ].join(','),
  );
  const url = URL.createObjectURL(new Blob([[header, ...lines, ''].join('\r\n')], { type: 'text/csv' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = `machines-${address}.csv`;
  link.click();
  URL.revokeObjectURL(url);
}
