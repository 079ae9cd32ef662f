/** Operator page: the machines of an address of the main chain, with their ratings. */
import { useEffect } from 'preact/hooks';
import { ExplorerLink, FailureNotice, IdTitle, Skeleton } from '../parts/components.tsx';
import { shorten } from '../parts/formats.ts';
import { DID_PREFIX } from '../parts/namespace.ts';
import { isAddress } from '../parts/routes.ts';
import { SITE_NAME } from '../parts/texts.ts';
import { WatchButton } from '../watchlist/watch-button.tsx';
import { FleetOverview } from './fleet-overview.tsx';
import { FleetTable } from './fleet-table.tsx';
import { useFleet, type FleetQuery } from './fleet.ts';

const RATED_PAGE = 500;
const PLAIN_PAGE = 20;
const CSV_ROWS = 10_000;

export function OperatorPage({ address }: { readonly address: string }) {
  useEffect(() => {
    document.title = `Operator ${shorten(address, 4)} | ${SITE_NAME}`;
  }, [address]);
  return isAddress(address) ? <Operator address={address} /> : <InvalidAddress text={address} />;
}

function InvalidAddress({ text }: { readonly text: string }) {
  return (
    <div class="notice">
      <h1>Invalid address</h1>
      <p>
        <bdi>{text.slice(0, 100)}</bdi> is not an operator address. An operator address is 0x followed by 40 hex digits.{' '}
        <a href="/">Go to search</a>
      </p>
    </div>
  );
}

function Operator({ address }: { readonly address: string }) {
  const base = `/operator/${DID_PREFIX}${address}`;
  const rated = useFleet(`${base}/fleet`, RATED_PAGE);
  // A deployment without additions has the listing of the interface only.
  const isPlain = rated.first.failure?.status === 404;
  const plain = useFleet(isPlain ? `${base}/machines` : undefined, PLAIN_PAGE);
  const { total = 0 } = rated.fleet ?? {};
  const csv = Array.from({ length: Math.ceil(total / CSV_ROWS) }, (_, part) =>
    part === 0 ? `${base}/fleet.csv` : `${base}/fleet.csv?offset=${part * CSV_ROWS}`,
  );
  return (
    <>
      <header class="card">
        <IdTitle kind="Operator" id={address} copied={address} label="the address" />
        <p class="buttons">
          <WatchButton entry={{ kind: 'operator', id: address }} />
          <ExplorerLink chain="main" kind="address" value={address} />
        </p>
      </header>
      <FleetView query={isPlain ? plain : rated} csv={csv} isLinked />
    </>
  );
}

export function FleetView({
  query: { first, fleet },
  csv,
  isLinked,
}: {
  readonly query: FleetQuery;
  readonly csv: readonly string[];
  readonly isLinked: boolean;
}) {
  if (first.response === undefined && first.failure !== undefined)
    return <FailureNotice query={first} subject="operator with this address" />;
  if (fleet === undefined) {
    return (
      <>
        <div class="card">
          <Skeleton lines={8} />
        </div>
        <div class="card table-place">
          <Skeleton lines={20} />
        </div>
      </>
    );
  }
  return (
    <>
      <FleetOverview fleet={fleet} first={first} />
      {fleet.machines.length > 0 && <FleetTable machines={fleet.machines} isLinked={isLinked} csv={csv} />}
    </>
  );
}
