/** System page: readiness, indexing progress and deployment facts. */
import { useEffect } from 'preact/hooks';
import { useQuery, type Query } from '../parts/queries.ts';
import { Bar } from '../machine/factor-bars.tsx';
import { chains } from '../parts/chains.ts';
import { formatCount } from '../parts/formats.ts';
import { FailureNotice, Id, Mark, Section, Skeleton } from '../parts/components.tsx';
import { DID_PREFIX, namespace } from '../parts/namespace.ts';
import type { Deployment, Readiness } from '../parts/wire.ts';
import { CONTRACT_NAMES, describeAge, NOT_AVAILABLE, plural, SITE_NAME } from '../parts/texts.ts';

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
  const report = readReadiness(ready);
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
          <dt>Main chain</dt>
          <dd>
            {published.response === undefined
              ? NOT_AVAILABLE
              : `${chains.main.name} (chain id ${published.response.body.chain_id})`}
          </dd>
          <dt>Alt chain</dt>
          <dd>{chains.alt.name}</dd>
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
    </>
  );
}

function MainChain({ report: { rpc_connected, contracts, verify } }: { readonly report: Readiness }) {
  return (
    <Section title="Main chain">
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
        <p class="quiet">No alt chain is configured.</p>
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

function IndexProgress({ index }: { readonly index: NonNullable<Readiness['operator_index']> }) {
  const { ready, indexed_block, head_block, lag_blocks, head_observed_age_seconds } = index;
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
        <p class="note">Chain head read {describeAge(head_observed_age_seconds)}.</p>
      )}
    </>
  );
}

/** Reads the report of `/ready`, which comes with status 503 when the service is not ready. */
export function readReadiness({ response, failure }: Query<Readiness>): Readiness | undefined {
  if (response !== undefined && failure === undefined) return response.body;
  if (failure === undefined || !failure.text.startsWith('{"status":"not_ready"')) return undefined;
  return JSON.parse(failure.text) as Readiness;
}

export function SystemLine({
  ready,
  isLinked = true,
}: {
  readonly ready: Query<Readiness>;
  readonly isLinked?: boolean;
}) {
  const report = readReadiness(ready);
  const isFailed = ready.failure !== undefined;
  const tone = report?.status === 'ready' ? 'good' : isFailed ? 'bad' : 'quiet';
  return (
    <p class={`system-line ${tone}`} role="status">
      <span class="dot" aria-hidden="true" /> {report === undefined && !isFailed ? 'Loading status…' : stateOf(report)}{' '}
      {isLinked && <a href="/explorer/system">System status</a>}
    </p>
  );
}

function stateOf(report: Readiness | undefined): string {
  if (report === undefined) return 'Status unavailable.';
  if (report.status === 'ready') return 'The service is ready.';
  const missing = [
    ...(report.rpc_connected ? [] : ['the main chain']),
    ...Object.entries(report.contracts).flatMap(([name, isAvailable]) =>
      isAvailable ? [] : [CONTRACT_NAMES[name] ?? name],
    ),
    ...(report.verify === false ? ['verification'] : []),
  ];
  return `The service is not ready${missing.length === 0 ? '' : `: ${missing.join(', ')}`}.`;
}
