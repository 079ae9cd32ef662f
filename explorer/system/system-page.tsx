/** System page: readiness, indexing progress and deployment facts. */
import { useEffect } from 'preact/hooks';
import { useQuery } from '../parts/queries.ts';
import { Bar } from '../machine/factor-bars.tsx';
import { chains } from '../parts/chains.ts';
import { formatCount, shorten } from '../parts/formats.ts';
import { FailureNotice, Id, Mark, Section, Skeleton } from '../parts/components.tsx';
import { DID_PREFIX, namespace } from '../parts/namespace.ts';
import type { Deployment, Readiness, Status } from '../parts/wire.ts';
import { readReport, SystemLine } from './system-line.tsx';
import { describeProvenRange } from './proven-range.ts';
import { CONTRACT_NAMES, describeAge, describeSearch, NOT_AVAILABLE, plural, SITE_NAME } from '../parts/texts.ts';

interface Described {
  readonly info: { readonly version: string };
  readonly openapi: string;
}

export function SystemPage() {
  const ready = useQuery<Readiness>('/ready', 10);
  const published = useQuery<Deployment>(namespace.well_known_path);
  const described = useQuery<Described>('/openapi.json');
  useEffect(() => {
    document.title = `System | ${SITE_NAME}`;
  }, []);
  const report = readReport(ready);
  const status = readReport(useQuery<Status>('/status', 30));
  return (
    <>
      <header class="card">
        <h1>System</h1>
        <SystemLine ready={ready} isLinked={false} />
      </header>
      {report === undefined && ready.failure === undefined ? (
        <div class="card system-place">
          <Skeleton lines={8} />
        </div>
      ) : report === undefined ? (
        <FailureNotice query={ready} subject="status report" />
      ) : (
        <div class="columns">
          <MainChain report={report} />
          <Indexes report={report} />
        </div>
      )}
      <Section title="This deployment">
        <dl class="facts">
          <dt>Chains</dt>
          <dd>
            {chains.main.name}
            {published.response !== undefined && ` (chain id ${published.response.body.chain_id})`}
            {report !== undefined && report.solana_indexer !== null && `, ${chains.alt.name}`}
          </dd>
          <dt>Registry</dt>
          <dd>
            {published.response === undefined ? (
              NOT_AVAILABLE
            ) : (
              <Id id={published.response.body.registry} label="registry address" />
            )}
          </dd>
          <dt>Message version</dt>
          <dd>{published.response?.body.version ?? NOT_AVAILABLE}</dd>
          <dt>DID prefix</dt>
          <dd>
            <code>{DID_PREFIX}</code>
          </dd>
          <dt>API version</dt>
          <dd>{described.response === undefined ? NOT_AVAILABLE : described.response.body.info.version}</dd>
          <dt>Rate limit</dt>
          <dd>90 requests a minute for each path and address</dd>
        </dl>
      </Section>
      {status !== undefined && <Health status={status} />}
    </>
  );
}

function MainChain({ report: { rpc_connected, contracts, verify } }: { readonly report: Readiness }) {
  return (
    <Section title={chains.main.name}>
      <ul class="marks">
        <Mark label="Node" text={rpc_connected ? 'reachable' : 'unreachable'} tone={rpc_connected ? 'good' : 'bad'} />
        {Object.entries(contracts).map(([name, isAvailable]) => (
          <Mark
            key={name}
            label={CONTRACT_NAMES[name] ?? name}
            text={isAvailable ? 'readable' : 'unreadable'}
            tone={isAvailable ? 'good' : 'bad'}
          />
        ))}
        <Mark
          label="Verification"
          text={verify === null ? 'not configured' : verify ? 'ready' : 'not ready'}
          tone={verify === null ? 'quiet' : verify ? 'good' : 'bad'}
        />
      </ul>
    </Section>
  );
}

function Indexes({ report: { operator_index: index, solana_indexer: alt } }: { readonly report: Readiness }) {
  return (
    <Section title="Indexes">
      {index === null ? <p class="quiet">This deployment has no operator index.</p> : <IndexProgress index={index} />}
      {alt === null ? (
        <p class="quiet">No second chain is configured.</p>
      ) : (
        <p>
          {chains.alt.name}: {alt.ready ? 'up to date' : 'catching up'}
          {alt.slot !== null && `, up to slot ${formatCount(alt.slot)}`}
          {alt.age_seconds !== null && `, read ${describeAge(alt.age_seconds)}`}.
        </p>
      )}
    </Section>
  );
}

type OperatorIndex = NonNullable<Readiness['operator_index']>;

function IndexProgress({ index }: { readonly index: OperatorIndex }) {
  const { ready, indexed_block, head_block, lag_blocks, head_observed_age_seconds, proof } = index;
  return (
    <>
      <p>Operator index: {ready ? 'up to date' : 'catching up'}.</p>
      {indexed_block !== null && head_block !== null && (
        <>
          <Bar share={head_block === 0 ? 1 : indexed_block / head_block} />
          <p>
            Block {formatCount(indexed_block)} of {formatCount(head_block)}
            {lag_blocks !== null && `, ${plural(lag_blocks, 'block')} behind the chain head`}
          </p>
        </>
      )}
      {head_observed_age_seconds !== null && (
        <p class="note">
          Chain head read {describeAge(head_observed_age_seconds)}.{' '}
          {proof !== undefined && `${describeProof(proof)} ${describeProvenRange(proof)}`}
        </p>
      )}
    </>
  );
}

function describeProof({ mode, unproven_blocks: count }: NonNullable<OperatorIndex['proof']>): string {
  if (mode === 'off') return 'The index is not proven by receipts.';
  return count === 0
    ? 'Every indexed block is proven by its receipts.'
    : `${plural(count, 'block')} with events ${count === 1 ? 'is' : 'are'} not proven by receipts yet.`;
}

/** Payment sources, the search for payments, and what stops or slows the indexes. Nothing where the service reports none. */
function Health({ status }: { readonly status: Status }) {
  const { causes, payment_sources: sources = [], payment_searches: searches = [] } = status;
  return (
    <>
      {causes.length > 0 && (
        <Section title="Problems">
          <dl class="errors">
            {causes.map(({ cause, subject, text, remedy }) => (
              <div key={`${cause} ${subject}`}>
                <dt>{text}</dt>
                <dd class="quiet">{remedy}</dd>
              </div>
            ))}
          </dl>
        </Section>
      )}
      {sources.length + searches.length > 0 && (
        <Section
          title="Payments"
          note="Chains on which payments to machines are followed, and how far events are searched for them."
        >
          <dl class="facts">
            {sources.map(({ source, up, head_age_seconds: age, waiting_machines: waiting }) => (
              <>
                <dt key={`${source} name`}>
                  <Id id={source} label={`the payment source ${shorten(source, 12)}`} ends={12} />
                </dt>
                <dd key={source}>
                  {up === null ? 'not read yet' : up ? 'readable' : 'unreadable'}
                  {age !== null && `, newest final block ${describeAge(age)}`}; {plural(waiting, 'machine')} waiting for
                  a verdict
                </dd>
              </>
            ))}
            {searches.map(({ chain, age_seconds: age }) => (
              <>
                <dt key={`${chain} name`}>{chains[chain === 'main' ? 'main' : 'alt'].name}</dt>
                <dd key={chain}>{describeSearch(age)}</dd>
              </>
            ))}
          </dl>
        </Section>
      )}
    </>
  );
}
