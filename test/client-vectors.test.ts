/** The TypeScript client against the golden vectors that the clients of all languages share. */
import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createClient, isRetryable, parseMachineKey } from '../client/client.ts';
import type { DirectorySelection } from '../client/directory.ts';
import { formatDecisionMessage } from '../client/monetization.ts';
import { verifyRatingStatement } from '../client/statements.ts';
import { parseAddress, type MachineId } from '../src/domain/identifiers/identifiers.ts';
import { DEFAULT_NAMESPACE } from '../src/domain/identifiers/namespace.ts';
import { rule } from './conformance/rule.ts';

interface Vectors {
  readonly identifiers: readonly { readonly text: string; readonly id: string | null }[];
  readonly addresses: readonly { readonly text: string; readonly address: string | null }[];
  readonly messages: readonly {
    readonly name: string;
    readonly machineId: string;
    readonly optedIn: boolean;
    readonly timestamp: number;
    readonly homeChain: number;
    readonly chainId: string;
    readonly registry: string;
    readonly text: string | null;
  }[];
  readonly errors: readonly {
    readonly status: number;
    readonly body: object;
    readonly kind: string;
    readonly isRetryable: boolean;
  }[];
  readonly directory: readonly { readonly query: DirectorySelection; readonly path: string }[];
  readonly statements: readonly {
    readonly name: string;
    readonly document: string;
    readonly now: number;
    readonly chainId: number;
    readonly registry: string;
    readonly keys: readonly {
      readonly address: string;
      readonly notBefore: number | null;
      readonly notAfter: number | null;
      readonly revokedAt: number | null;
    }[];
    readonly problem: string | null;
  }[];
}

const vectors = JSON.parse(readFileSync(new URL('./vectors/clients/clients.json', import.meta.url), 'utf8')) as Vectors;

it.each(vectors.identifiers)('parses the machine $text as $id', ({ text, id }) => {
  rule('client.vectors');
  expect(parseMachineKey(text, DEFAULT_NAMESPACE)).toBe(id === null ? undefined : BigInt(id));
});

it.each(vectors.addresses)('parses the address $text as $address', ({ text, address }) => {
  rule('client.vectors');
  expect(parseAddress(text.replace(/^did:svc:/, ''))).toBe(address ?? undefined);
});

it.each(vectors.directory)('requests $path, and the next page', async ({ query, path }) => {
  rule('client.vectors');
  const requested: string[] = [];
  const client = createClient({
    baseUrl: 'https://svc.example',
    fetch: (target) => {
      requested.push((target as string).replace('https://svc.example', ''));
      return Promise.resolve(Response.json({ machines: [], next: requested.length > 1 ? null : '1.1' }));
    },
  });
  const named = Object.entries(query).map(([name, value]): [string, unknown] => [
    name.replace(/_(.)/, (_, letter: string) => letter.toUpperCase()),
    value,
  ]);
  for await (const { ok } of client.listWholeDirectory(Object.fromEntries(named))) expect(ok).toBe(true);
  expect(requested).toEqual([path, expect.stringContaining('after=1.1')]);
});

describe('formatDecisionMessage', () => {
  it.each(vectors.messages)(
    'formats or refuses: $name',
    ({ machineId, homeChain, chainId, registry, text, ...rest }) => {
      rule('client.vectors');
      const home = homeChain === 0 ? ({ chain: 'main' } as const) : ({ chain: 'alt', ordinal: homeChain } as const);
      const decision = { ...rest, machineId: BigInt(machineId) as MachineId };
      const format = () => formatDecisionMessage(decision, home, { chainId, registry } as never, DEFAULT_NAMESPACE);
      if (text === null) expect(format).toThrow(RangeError);
      else expect(format()).toBe(text);
    },
  );
});

it.each(vectors.errors)('reports $status $body as $kind', async ({ status, body, kind, isRetryable: expected }) => {
  rule('client.vectors');
  const client = createClient({
    baseUrl: 'https://svc.example',
    fetch: () => Promise.resolve(Response.json(body, { status })),
  });
  const result = await client.getRating('42');
  expect(result.ok ? undefined : [result.error.kind, isRetryable(result.error)]).toEqual([kind, expected]);
});

describe('the program of docs/statements.md', () => {
  const page = readFileSync(new URL('../docs/statements.md', import.meta.url), 'utf8');
  const [{ document, now, chainId, registry, keys }] = vectors.statements as [Vectors['statements'][number]];
  /** The printed program with the values of a vector in the place of its own. */
  const program = /```ts\n([^]+?)```/
    .exec(page)![1]!
    .replace('@svcos/client/statements', new URL('../client/statements.ts', import.meta.url).href)
    .replace('chainId: 1,', `chainId: ${chainId},`)
    .replace(/'0x5FbD…'/, `'${registry}'`)
    .replace(/'0x1A64…'/, `'${keys[0]!.address}'`);

  afterEach(() => void vi.useRealTimers());

  /** Runs it at the time of the vector with the text of a document. */
  function run(text: string): Promise<unknown> {
    vi.useFakeTimers({ toFake: ['Date'], now: now * 1_000 });
    const source = `const text = ${JSON.stringify(text)};\n${program}`;
    return import(/* @vite-ignore */ `data:text/javascript,${encodeURIComponent(source)}`);
  }

  it('accepts a statement', async () => {
    rule('documents.blocks');
    expect(program).not.toContain('…');
    await expect(run(document)).resolves.toBeDefined();
  });

  it('throws for a changed statement', async () => {
    const changed = document.replace('"bonded":true', '"bonded":false');
    expect(changed).not.toBe(document);
    await expect(run(changed)).rejects.toThrow('wrong signer');
  });
});

describe('verifyRatingStatement', () => {
  it.each(vectors.statements)('accepts or rejects: $name', ({ document, now, chainId, registry, keys, problem }) => {
    rule('client.vectors');
    const check = verifyRatingStatement(document, { chainId, registry, keys, nowSeconds: now });
    expect(check.ok ? null : check.problem).toBe(problem);
  });
});
