/**
 * How do the service suites ask? One plain request, and the answer with its body as text and as JSON. Every answer is held against what
 * the service that gave it says about itself: an undocumented status, header or member fails the suite that got it.
 */
import { OpenapiConformance, type OpenapiDocument } from '../../testing/harness/openapi-conformance.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body as JSON; throws when it is none. */
  readonly json: <T = Record<string, unknown>>() => T;
}

/** By origin; services of a suite's own come and go, each with a port of its own. */
const conformances = new Map<string, Promise<OpenapiConformance>>();

/** Follows no redirect. */
export async function ask(url: string, init: RequestInit = {}): Promise<Answer> {
  const response = await fetch(url, { redirect: 'manual', ...init });
  const { status, headers } = response;
  const text = await response.text();
  const { origin, pathname } = new URL(url);
  const answer = { status, headers: Object.fromEntries(headers), text };
  (await readConformance(origin)).expectDocumented(init.method ?? 'GET', pathname, answer);
  return { status, headers, text, json: () => JSON.parse(text) };
}

function readConformance(origin: string): Promise<OpenapiConformance> {
  let conformance = conformances.get(origin);
  if (conformance === undefined) {
    conformance = fetchConformance(origin);
    conformances.set(origin, conformance);
  }
  return conformance;
}

async function fetchConformance(origin: string): Promise<OpenapiConformance> {
  const response = await fetch(`${origin}/openapi.json`);
  return new OpenapiConformance((await response.json()) as OpenapiDocument);
}

/** The machine of a persona; a name that is not in the fixtures throws. */
export function findMachine<T extends { readonly name: string }>(machines: readonly T[], name: string): T {
  const machine = machines.find((each) => each.name === name);
  if (machine === undefined) throw new Error(`no persona ${name}`);
  return machine;
}
