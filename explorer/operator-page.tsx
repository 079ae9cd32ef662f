/** Which machines does an operator run, how do they stand, and how far behind is the list? */
import { useEffect, useState } from 'preact/hooks';
import { ask, useAnswer, type Followed } from './answers.ts';
import { formatCount, shorten } from './formats.ts';
import { LetterMark } from './letter-mark.tsx';
import { CopyButton, Id, Mark, RefusalNotice, Section, Skeleton, StaleNotice } from './marks.tsx';
import { DID_PREFIX } from './namespace.ts';
import { isAddress, machinePath } from './places.ts';
import type { BoundRating, Fleet } from './wire.ts';
import { LETTERS, plural, SITE_NAME } from './words.ts';

const PAGE = 20;
/** All machines of an operator are fetched for sorting and the spread as long as they are no more than this. */
const MOST_PAGES = 10;

type Machine = Fleet['machines'][number];

/** Of an address of the main chain, or of what a wallet of the second chain is bound to. */
export function OperatorPage({ address, isWallet = false }: { readonly address: string; readonly isWallet?: boolean }) {
  useEffect(() => {
    document.title = `${isWallet ? 'Wallet' : 'Operator'} ${shorten(address, 4)} | ${SITE_NAME}`;
  }, [address]);
  if (!isWallet && !isAddress(address)) {
    return (
      <div class="notice">
        <h1>This is not an address</h1>
        <p>
          <bdi>{address.slice(0, 100)}</bdi> is not 0x and 40 hex digits. <a href="/">Search</a>
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

/** What the first-generation machine of a bound wallet is worth. */
function BoundMachine({ wallet }: { readonly wallet: string }) {
  const rating = useAnswer<BoundRating>(`/solana/mcr/${wallet}`);
  const { answer } = rating;
  if (answer === undefined) {
    return rating.refusal === undefined ? (
      <Skeleton lines={2} />
    ) : (
      <RefusalNotice followed={rating} subject="binding or machine of this wallet" />
    );
  }
  const { mcr, mcr_score, summary, bond_status, evm_address } = answer.body;
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
  const first = useAnswer<Fleet>(`${base}?offset=0&limit=${PAGE}`, 60);
  const { answer, refusal } = first;
  if (answer === undefined) {
    return refusal === undefined ? (
      <div class="card">
        <Skeleton lines={8} />
      </div>
    ) : (
      <RefusalNotice followed={first} subject="operator with this address" />
    );
  }
  return (
    <Machines key={answer.receivedAtMilliseconds} first={first} base={base} address={address} isLinked={isLinked} />
  );
}

function Machines({ first, base, address, isLinked }: ListingProps & { readonly first: Followed<Fleet> }) {
  const { machines, pagination, unreadable, index } = first.answer!.body;
  const [rest, setRest] = useState<{ machines: readonly Machine[]; unreadable: number; isWhole: boolean }>({
    machines: [],
    unreadable: 0,
    isWhole: pagination.total <= PAGE,
  });

  useEffect(() => {
    let isOver = false;
    const load = async () => {
      const most = Math.min(pagination.total, PAGE * MOST_PAGES);
      const more: Machine[] = [];
      let unread = 0;
      for (let offset = PAGE; offset < most; offset += PAGE) {
        const { answer } = await ask<Fleet>(`${base}?offset=${offset}&limit=${PAGE}`);
        if (isOver) return;
        if (answer === undefined) return setRest({ machines: more, unreadable: unread, isWhole: false });
        more.push(...answer.body.machines);
        unread += answer.body.unreadable;
      }
      setRest({ machines: more, unreadable: unread, isWhole: pagination.total <= most });
    };
    if (pagination.total > PAGE) void load();
    return () => {
      isOver = true;
    };
  }, [base, pagination.total]);

  const all = [...machines, ...rest.machines];
  const unread = unreadable + rest.unreadable;
  return (
    <>
      <Section title={plural(pagination.total, 'machine')}>
        {all.length > 0 && <Spread machines={all} />}
        {unread > 0 && (
          <p class="notice fair">
            {plural(unread, 'machine')} cannot be read now and {unread === 1 ? 'is' : 'are'} not listed. They count in
            the total.
          </p>
        )}
        <p class="note">
          The index has read up to block {formatCount(index.indexed_block)}, {plural(index.lag_blocks, 'block')} behind
          the newest, which was seen {plural(index.head_observed_age_seconds, 'second')} ago.
          {index.alt_snapshot_age_seconds !== null &&
            ` The listing of the second chain is ${plural(index.alt_snapshot_age_seconds, 'second')} old.`}
        </p>
        <StaleNotice followed={first} subject="this operator" />
      </Section>
      {all.length > 0 && <Table machines={all} isWhole={rest.isWhole} address={address} isLinked={isLinked} />}
    </>
  );
}

function Spread({ machines }: { readonly machines: readonly Machine[] }) {
  const counts = LETTERS.map((letter) => ({ letter, count: machines.filter(({ mcr }) => mcr === letter).length }));
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
  { key: 'letter', name: 'Letter', isNumber: false },
  { key: 'score', name: 'Score', isNumber: true },
  { key: 'bond', name: 'Bond', isNumber: false },
  { key: 'flag', name: 'Flag', isNumber: false },
  { key: 'events', name: 'Events', isNumber: true },
] as const;
type Column = (typeof COLUMNS)[number]['key'];

const ORDERS: Readonly<Record<Column, (a: Machine, b: Machine) => number>> = {
  machine: (a, b) => a.machine_id.length - b.machine_id.length || (a.machine_id < b.machine_id ? -1 : 1),
  letter: (a, b) => LETTERS.indexOf(a.mcr) - LETTERS.indexOf(b.mcr),
  score: (a, b) => a.mcr_score - b.mcr_score,
  bond: (a, b) => a.bond_status.localeCompare(b.bond_status),
  flag: (a, b) => Number(a.negative_flag) - Number(b.negative_flag),
  events: (a, b) => a.event_count - b.event_count,
};

interface TableProps {
  readonly machines: readonly Machine[];
  readonly isWhole: boolean;
  readonly address: string;
  readonly isLinked: boolean;
}

function Table({ machines, isWhole, address, isLinked }: TableProps) {
  const [{ column, isDown }, setOrder] = useState<{ column: Column; isDown: boolean }>({
    column: 'score',
    isDown: true,
  });
  const [page, setPage] = useState(0);
  const sorted = [...machines].sort((a, b) => (isDown ? -1 : 1) * ORDERS[column](a, b));
  const pages = Math.ceil(sorted.length / PAGE);
  const rows = sorted.slice(page * PAGE, (page + 1) * PAGE);
  return (
    <Section title="Machines">
      {!isWhole && <p class="note">The first {formatCount(machines.length)} by id; sorting looks at these alone.</p>}
      <div class="scroll tall" tabIndex={0} role="group" aria-label="Machines of the operator">
        <table class="list">
          <thead>
            <tr>
              {COLUMNS.map(({ key, name, isNumber }) => (
                <th
                  key={key}
                  scope="col"
                  class={isNumber ? 'number' : undefined}
                  aria-sort={column === key ? (isDown ? 'descending' : 'ascending') : undefined}
                >
                  <button
                    type="button"
                    onClick={() => {
                      setOrder({ column: key, isDown: column === key ? !isDown : isNumber });
                      setPage(0);
                    }}
                  >
                    {name}
                    <span aria-hidden="true">{column === key ? (isDown ? ' ↓' : ' ↑') : ''}</span>
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
          Save as CSV
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
      <td data-label="Letter">
        <LetterMark letter={mcr} />
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

/** Ids are quoted as text, so that a spreadsheet does not round them. */
function saveCsv(machines: readonly Machine[], address: string): void {
  const head = 'machine_id,did,letter,score,bond_status,negative_flag,event_count';
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
  const url = URL.createObjectURL(new Blob([[head, ...lines, ''].join('\r\n')], { type: 'text/csv' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = `machines-${address}.csv`;
  link.click();
  URL.revokeObjectURL(url);
}
