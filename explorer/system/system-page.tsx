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
import { nameChain } from '../../src/domain/identifiers/chain-names.ts';
import { CONTRACT_NAMES, describeAge, describeSearch, NOT_AVAILABLE, SITE_NAME } from '../parts/texts.ts';
import {
  BUDGETS_NOTE,
  describeAltProgress,
  describeBudget,
  describeContract,
  describeIndexedBlock,
  describeIndexState,
  describeNode,
  describeProof,
  describeSource,
  describeVerify,
  describeWaiting,
  EVENTS_ON,
  NO_ALT_CHAIN,
  NO_OPERATOR_INDEX,
  PAYMENTS_NOTE,
  PAYMENTS_ON,
  RATE_LIMITS,
  RATE_LIMITS_NOTE,
} from './texts.ts';

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
          <Indexes report={report} altProgress={status?.solana_index_progress ?? null} />
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
          <dt>Rate limits</dt>
          <dd>
            {RATE_LIMITS.join('; ')} <span class="note">{RATE_LIMITS_NOTE}</span>
          </dd>
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
        <Mark label="Node" text={describeNode(rpc_connected)} tone={rpc_connected ? 'good' : 'bad'} />
        {Object.entries(contracts).map(([name, isAvailable]) => (
          <Mark
            key={name}
            label={CONTRACT_NAMES[name] ?? name}
            text={describeContract(isAvailable)}
            tone={isAvailable ? 'good' : 'bad'}
          />
        ))}
        <Mark
          label="Verification"
          text={describeVerify(verify)}
          tone={verify === null ? 'quiet' : verify ? 'good' : 'bad'}
        />
      </ul>
    </Section>
  );
}

function Indexes({
  report: { operator_index: index, solana_indexer: alt },
  altProgress,
}: {
  readonly report: Readiness;
  readonly altProgress: Status['solana_index_progress'];
}) {
  const progress = altProgress === null ? undefined : describeAltProgress(altProgress);
  return (
    <Section title="Indexes">
      {index === null ? <p class="quiet">{NO_OPERATOR_INDEX}</p> : <IndexProgress index={index} />}
      {alt === null ? (
        <p class="quiet">{NO_ALT_CHAIN}</p>
      ) : (
        <>
          <p>
            {chains.alt.name}: {describeIndexState(alt.ready)}
            {alt.slot !== null && `, up to slot ${formatCount(alt.slot)}`}
            {alt.age_seconds !== null && `, read ${describeAge(alt.age_seconds)}`}.
          </p>
          {progress !== undefined && <p>{progress}</p>}
        </>
      )}
    </Section>
  );
}

type OperatorIndex = NonNullable<Readiness['operator_index']>;

function IndexProgress({ index }: { readonly index: OperatorIndex }) {
  const { ready, indexed_block, head_block, lag_blocks, head_observed_age_seconds, proof } = index;
  return (
    <>
      <p>Operator index: {describeIndexState(ready)}.</p>
      {indexed_block !== null && head_block !== null && (
        <>
          <Bar share={head_block === 0 ? 1 : indexed_block / head_block} />
          <p>{describeIndexedBlock(indexed_block, head_block, lag_blocks)}</p>
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

/** What stops or slows the indexes, payment sources, the search for payments, and call budgets. Nothing where the service reports none. */
function Health({ status }: { readonly status: Status }) {
  const { causes, call_budgets: budgets = [], payment_sources: sources = [], payment_searches: searches = [] } = status;
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
        <Section title="Payments" note={PAYMENTS_NOTE}>
          <dl class="facts">
            {sources.map(({ source, up, head_age_seconds: age, waiting_machines: waiting }) => (
              <>
                <dt key={`${source} name`}>
                  {PAYMENTS_ON} <Source source={source} />
                </dt>
                <dd key={source}>
                  {describeSource(up)}
                  {age !== null && `, newest final block ${describeAge(age)}`}; {describeWaiting(waiting)}
                </dd>
              </>
            ))}
            {searches.map(({ chain, age_seconds: age }) => (
              <>
                <dt key={`${chain} name`}>
                  {EVENTS_ON} {chains[chain === 'main' ? 'main' : 'alt'].name}
                </dt>
                <dd key={chain}>{describeSearch(age)}</dd>
              </>
            ))}
          </dl>
        </Section>
      )}
      {budgets.length > 0 && (
        <Section title="Calls to nodes" note={BUDGETS_NOTE}>
          <dl class="facts">
            {budgets.map((budget) => (
              <>
                <dt key={`${budget.chain} name`}>{chains[budget.chain === 'main' ? 'main' : 'alt'].name}</dt>
                <dd key={budget.chain}>{describeBudget(budget)}</dd>
              </>
            ))}
          </dl>
        </Section>
      )}
    </>
  );
}

/** Name of a payment source; its CAIP-2 name where the chain has no other. */
function Source({ source }: { readonly source: string }) {
  const name = nameChain(source);
  return name === undefined ? (
    <Id id={source} label={`the payment source ${shorten(source, 12)}`} ends={12} />
  ) : (
    <span title={source}>{name}</span>
  );
}
