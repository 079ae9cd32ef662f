/** How do the service suites ask? One plain request, and the answer with its body as text and as JSON. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body as JSON; throws when it is none. */
  readonly json: <T = Record<string, unknown>>() => T;
}

export async function ask(url: string, init: RequestInit = {}): Promise<Answer> {
  const response = await fetch(url, { redirect: 'manual', ...init });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: () => JSON.parse(text) };
}

/** The machine of a persona; a name that is not in the fixtures throws. */
export function findMachine<T extends { readonly name: string }>(machines: readonly T[], name: string): T {
  const machine = machines.find((each) => each.name === name);
  if (machine === undefined) throw new Error(`no persona ${name}`);
  return machine;
}
