/** Services of the provider matrix: their configuration, and their responses without what follows the clock. */
import { readConfig, type Config } from '../../../src/config.ts';
import type { Service } from '../../../src/main.ts';

/** Variables by name. */
export type Variables = Readonly<Record<string, string>>;

const OWN: Variables = {
  DATABASE_URL: 'sqlite::memory:',
  PORT: '0',
  ADMIN_PORT: '0',
  RATE_LIMITS: 'off',
  POLL_INTERVAL_SECONDS: '2',
};

/** Returns the configuration of a service in memory on any free port. */
export function toConfig(variables: Variables): Config {
  const { config, problems } = readConfig({ ...variables, ...OWN }, { readFile: () => '' });
  if (problems.length > 0) throw new Error(problems.join('\n'));
  return config;
}

/** Members that follow the head and the clock. */
const MOVING = /^(?:block|now|slot|indexed_block|head_block|lag_blocks|ready|proof|\w*age_seconds)$/;

export interface ServiceAnswer {
  /** Status and body without the members that follow the head and the clock. */
  readonly text: string;
  /** How the answer says that it is not complete; undefined: it is complete. */
  readonly gap: string | undefined;
}

const PARTIAL = /"rating_unavailable":"indexer_behind"|"unreadable":[1-9]|"ready":false|"complete":false/;
/** A profile leaves its events out while the index of the alt chain is behind. */
const WITHOUT_EVENTS = /"event_count":[1-9](?!.*"event_data":).*"home_chain":5,/;

export async function readAnswer(service: Service, path: string): Promise<ServiceAnswer> {
  const { statusCode, body } = await service.app.inject(path);
  const facts: unknown = JSON.parse(body, (name, value: unknown) => (MOVING.test(name) ? undefined : value));
  const partial = PARTIAL.exec(body)?.[0] ?? (WITHOUT_EVENTS.test(body) ? 'no event_data' : undefined);
  const gap = statusCode === 503 || statusCode === 504 ? body : partial;
  return { text: `${statusCode} ${JSON.stringify(facts)}`, gap };
}

/** What `/status` reports after a case. */
export interface ReportedState {
  readonly isFresh: boolean;
  /** Sentences of the causes. */
  readonly causes: readonly string[];
}

interface StatusBody {
  readonly status: string;
  readonly causes: readonly { readonly text: string }[];
}

/** Returns what `/status` reports: whether the indexes are fresh, and what stops or slows them. */
export async function readState(service: Service): Promise<ReportedState> {
  const { status, causes } = (await service.app.inject('/status')).json<StatusBody>();
  return { isFresh: status === 'fresh', causes: causes.map(({ text }) => text) };
}
