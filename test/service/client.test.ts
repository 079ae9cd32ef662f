/** Does the published client understand the service? Every read, both homes and what is answered instead. */
import { describe, expect, inject, it } from 'vitest';
import { createClient, isRetryable, type Result } from '../../client/client.ts';
import { rule } from '../conformance/rule.ts';
import { ask, findMachine } from './ask.ts';

const baseUrl = inject('baseUrl');
const { machines } = inject('fixtures');
const machineOf = (name: string) => findMachine(machines, name);
const client = createClient({ baseUrl: `${baseUrl}/` });
const json = async (path: string) => (await ask(baseUrl + path)).json();

/** The value, or a failure that names the error. */
function valueOf<T>(answer: Result<T>): T {
  if (!answer.ok) throw new Error(JSON.stringify(answer.error));
  return answer.value;
}

describe('a machine', () => {
  const { did, id } = machineOf('rated-aaa');

  it.each([
    ['its decimal id', id],
    ['its id as a bigint', BigInt(id)],
    ['its DID', did],
  ])('is found by %s', async (_, key) => {
    expect(valueOf(await client.getRating(key))).toEqual(await json(`/mcr/${did}`));
  });

  it('has rating, explanation and card as they are sent', async () => {
    expect(valueOf(await client.getExplanation(id))).toMatchObject(await json(`/mcr/${did}`));
    expect(valueOf(await client.getCard(id))).toEqual(await json(`/machines/${id}`));
  });

  it('has a history, day by day', async () => {
    const history = valueOf(await client.getHistory(id));
    expect(history).toEqual(await json(`/mcr/${did}/history`));
    expect(history.points.length).toBeGreaterThan(0);
  });

  it('has events, page by page, where its owner has them shown', async () => {
    const { id: shown } = machineOf('visibility-onchain');
    const first = valueOf(await client.listEvents(shown, { limit: 1 }));
    expect(first).toEqual(await json(`/machines/${shown}/events?limit=1`));
    const cursor = first.next_cursor;
    expect(valueOf(await client.listEvents(shown, { cursor }))).toEqual(
      await json(`/machines/${shown}/events?cursor=${cursor}`),
    );
  });

  it('has a profile whose facts do not depend on a word of the deployment', async () => {
    const { svcos, ...top } = await json(`/machine/${did}`);
    expect(valueOf(await client.getProfile(id))).toEqual({ ...top, facts: svcos });
    expect(valueOf(await client.getTokenMetadata(id))).toEqual({ ...top, facts: svcos });
  });

  it('stands on a block', async () => {
    expect(await client.getRating(id)).toMatchObject({
      block: { number: expect.any(BigInt), ageSeconds: expect.any(Number) },
    });
  });

  it('is verified or not', async () => {
    expect(valueOf(await client.getVerification(id))).toEqual(await json(`/v1/verify/machines/${id}`));
  });
});

describe('a fleet', () => {
  const { owner } = machineOf('rated-aaa');

  it('comes in pages', async () => {
    const path = `/operator/did:svc:${owner.toLowerCase()}/machines?offset=1&limit=2`;
    const { machines: listed, pagination } = await json(path);
    expect(valueOf(await client.listFleet(owner, { offset: 1, limit: 2 }))).toMatchObject({
      machines: listed,
      pagination,
    });
  });

  it('comes whole, every machine once', async () => {
    const ids: string[] = [];
    let total = 0;
    for await (const page of client.listWholeFleet(`did:svc:${owner}`)) {
      const { machines: listed, pagination } = valueOf(page);
      ids.push(...listed.map(({ machine_id }) => machine_id));
      total = pagination.total;
    }
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.length).toBeGreaterThan(0);
    expect(ids.length).toBeLessThanOrEqual(total);
  });
});

it('the service itself', async () => {
  expect(valueOf(await client.getHealth())).toEqual({ status: 'ok' });
  expect(valueOf(await client.getReadiness())).toMatchObject({ status: 'ready' });
  expect(valueOf(await client.getStatus({ maxLagBlocks: 7 }))).toMatchObject({ max_lag_blocks: 7 });
  expect(valueOf(await client.getDeployment())).toEqual(await json('/.well-known/svc-monetization'));
});

describe('what is answered instead', () => {
  const kindOf = async (answer: Promise<Result<unknown>>) => {
    const settled = await answer;
    return settled.ok ? 'ok' : `${'status' in settled.error ? settled.error.status : '-'} ${settled.error.kind}`;
  };
  const absent = 12_345n;

  it.each([
    ['an id that is no id', () => client.getRating('0042'), '- invalid-argument'],
    ['an operator that is none', () => client.listFleet('0x12'), '- invalid-argument'],
    ['a machine that is not there', () => client.getRating(absent), '404 machine-not-found'],
    ['its card', () => client.getCard(absent), '404 machine-not-found'],
    ['its token', () => client.getTokenMetadata(absent), '404 machine-not-found'],
    ['its verification', () => client.getVerification(absent), '404 machine-not-found'],
    ['its state', () => client.getMonetization(absent), '404 machine-not-found'],
    [
      'events that are not shown',
      () => client.listEvents(machineOf('visibility-private').id),
      '403 event-data-private',
    ],
    ['a machine between its homes', () => client.getRating(machineOf('relocating').id), '503 machine-relocating'],
    ['a machine elsewhere', () => client.getRating(machineOf('homed-elsewhere').id), '409 machine-homed-elsewhere'],
    [
      'a page that is too long',
      () => client.listFleet(machineOf('fresh').owner, { limit: 21 }),
      '422 invalid-parameters',
    ],
    ['a wallet that is none', () => client.getWalletRating('0'), '400 invalid-wallet'],
  ])('to %s', async (_, read, expected) => {
    expect(await kindOf(read())).toBe(expected);
  });

  it('where nothing listens', async () => {
    const answer = await createClient({ baseUrl: 'http://127.0.0.1:1' }).getHealth();
    expect(answer).toEqual({ ok: false, error: { kind: 'unreachable', text: 'no response' } });
    expect(!answer.ok && isRetryable(answer.error)).toBe(true);
  });

  it('when the caller has gone', async () => {
    expect(await kindOf(client.getHealth({ signal: AbortSignal.abort() }))).toBe('- unreachable');
  });

  it('about another machine, as no answer at all', async () => {
    rule('client.other-machine');
    const { did } = machineOf('fresh');
    const other: typeof fetch = () => fetch(`${baseUrl}/mcr/${did}`);
    const crossed = createClient({ baseUrl, fetch: other });
    expect(await kindOf(crossed.getRating(machineOf('rated-aaa').id))).toBe('200 unexpected-response');
    expect(await kindOf(crossed.getRating(did))).toBe('ok');
  });

  it('a number is refused by name: it would be rounded', () => {
    expect(() => client.getRating(42 as unknown as bigint)).toThrow(TypeError);
  });
});
