/**
 * HTTP client of the service suites. Every response is checked against the OpenAPI document of its service: an undocumented status, header or
 * member fails the suite.
 */
import {
  conformanceOf,
  type OpenapiConformance,
  type OpenapiDocument,
} from '../../testing/harness/openapi-conformance.ts';

export interface CheckedResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Returns the body as JSON. Throws when it is not JSON. */
  readonly json: <T = Record<string, unknown>>() => T;
}

/** Documents by origin, because every service of a suite has its own port. */
const conformances = new Map<string, Promise<OpenapiConformance>>();

/** Sends a request and checks its response. Follows no redirect. */
export async function fetchChecked(url: string, init: RequestInit = {}): Promise<CheckedResponse> {
  const response = await fetch(url, { redirect: 'manual', ...init });
  const { status, headers } = response;
  const text = await response.text();
  const { origin, pathname } = new URL(url);
  const received = { status, headers: Object.fromEntries(headers), text };
  (await readConformance(origin)).expectDocumented(init.method ?? 'GET', pathname, received);
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
  return conformanceOf((await response.json()) as OpenapiDocument);
}

/** Returns the machine of a persona. Throws when the fixtures do not contain the name. */
export function findMachine<T extends { readonly name: string }>(machines: readonly T[], name: string): T {
  const machine = machines.find((each) => each.name === name);
  if (machine === undefined) throw new Error(`no persona ${name}`);
  return machine;
}
