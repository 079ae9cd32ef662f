/** Does the service work, and how far has it read? */
import { useEffect } from 'preact/hooks';
import { useAnswer, type Followed } from './answers.ts';
import { Bar } from './factor-bars.tsx';
import { formatCount } from './formats.ts';
import { Id, Mark, Section, Skeleton } from './marks.tsx';
import { DID_PREFIX, namespace } from './namespace.ts';
import type { Deployment, Readiness } from './wire.ts';
import { CONTRACT_NAMES, plural, SITE_NAME } from './words.ts';

interface Described {
  readonly info: { readonly version: string };
  readonly openapi: string;
}

export function SystemPage() {
  const ready = useAnswer<Readiness>('/ready', 10);
  const published = useAnswer<Deployment>(namespace.well_known_path);
  const described = useAnswer<Described>('/openapi.json');
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
      {report === undefined ? (
        <div class="card">
          <Skeleton lines={8} />
        </div>
      ) : (
        <div class="columns">
          <MainChain report={report} />
          <Indexes report={report} />
        </div>
      )}
      <Section title="This deployment">
        <dl class="facts">
          <dt>Main chain</dt>
          <dd>{published.answer?.body.chain_id ?? 'not told'}</dd>
          <dt>Registry</dt>
          <dd>
            {published.answer === undefined ? (
              'not told'
            ) : (
              <Id id={published.answer.body.registry} label="registry address" />
            )}
          </dd>
          <dt>Signing</dt>
          <dd>{published.answer?.body.version ?? 'not told'}</dd>
          <dt>DIDs begin with</dt>
          <dd>
            <code>{DID_PREFIX}</code>
          </dd>
          <dt>Interface</dt>
          <dd>{described.answer === undefined ? 'not told' : `version ${described.answer.body.info.version}`}</dd>
          <dt>Limits</dt>
          <dd>90 requests a minute for each address and path</dd>
        </dl>
      </Section>
    </>
  );
}

function MainChain({ report: { rpc_connected, contracts, verify } }: { readonly report: Readiness }) {
  return (
    <Section title="Main chain">
      <ul class="marks">
        <Mark label="Node" text={rpc_connected ? 'answers' : 'does not answer'} tone={rpc_connected ? 'good' : 'bad'} />
        {Object.entries(contracts).map(([name, isThere]) => (
          <Mark
            key={name}
            label={CONTRACT_NAMES[name] ?? name}
            text={isThere ? 'readable' : 'not readable'}
            tone={isThere ? 'good' : 'bad'}
          />
        ))}
        <Mark
          label="Verify"
          text={verify === null ? 'not run here' : verify ? 'ready' : 'not ready'}
          tone={verify === null ? 'quiet' : verify ? 'good' : 'bad'}
        />
      </ul>
    </Section>
  );
}

function Indexes({ report: { operator_index: index, solana_indexer: alt } }: { readonly report: Readiness }) {
  return (
    <Section title="Indexes">
      {index === null ? <p class="quiet">There is no index of operators here.</p> : <IndexProgress index={index} />}
      {alt === null ? (
        <p class="quiet">No second chain is configured.</p>
      ) : (
        <p>
          Second chain: {alt.ready ? 'followed' : 'behind'}
          {alt.slot !== null && `, up to slot ${formatCount(alt.slot)}`}
          {alt.age_seconds !== null && `, read ${plural(alt.age_seconds, 'second')} ago`}.
        </p>
      )}
    </Section>
  );
}

function IndexProgress({ index }: { readonly index: NonNullable<Readiness['operator_index']> }) {
  const { ready, indexed_block, head_block, lag_blocks, head_observed_age_seconds } = index;
  return (
    <>
      <p>Machines and owners: {ready ? 'up to date' : 'catching up'}.</p>
      {indexed_block !== null && head_block !== null && (
        <>
          <Bar share={head_block === 0 ? 1 : indexed_block / head_block} />
          <p>
            Block {formatCount(indexed_block)} of {formatCount(head_block)}
            {lag_blocks !== null && `, ${plural(lag_blocks, 'block')} behind`}
          </p>
        </>
      )}
      {head_observed_age_seconds !== null && (
        <p class="note">The newest block was seen {plural(head_observed_age_seconds, 'second')} ago.</p>
      )}
    </>
  );
}

/** `/ready` answers 503 with its report when the service is not ready. */
export function readReadiness({ answer, refusal }: Followed<Readiness>): Readiness | undefined {
  if (answer !== undefined && refusal === undefined) return answer.body;
  if (refusal === undefined || !refusal.text.startsWith('{"status":"not_ready"')) return undefined;
  return JSON.parse(refusal.text) as Readiness;
}

export function SystemLine({
  ready,
  isLinked = true,
}: {
  readonly ready: Followed<Readiness>;
  readonly isLinked?: boolean;
}) {
  const report = readReadiness(ready);
  const isRefused = ready.refusal !== undefined;
  const tone = report?.status === 'ready' ? 'good' : isRefused ? 'bad' : 'quiet';
  return (
    <p class={`system-line ${tone}`} role="status">
      <span class="dot" aria-hidden="true" />{' '}
      {report === undefined && !isRefused ? 'Asking the service…' : stateOf(report)}{' '}
      {isLinked && <a href="/explorer/system">What it reads</a>}
    </p>
  );
}

function stateOf(report: Readiness | undefined): string {
  if (report === undefined) return 'The service does not tell its state.';
  if (report.status === 'ready') return 'The service is ready.';
  const missing = [
    ...(report.rpc_connected ? [] : ['the main chain']),
    ...Object.entries(report.contracts).flatMap(([name, isThere]) => (isThere ? [] : [CONTRACT_NAMES[name] ?? name])),
    ...(report.verify === false ? ['Verify'] : []),
  ];
  return `The service is not ready${missing.length === 0 ? '' : `: ${missing.join(', ')}`}.`;
}
