/** Published client against the service: every read, both home chains and every kind of error. */
import { describe, expect, inject, it } from 'vitest';
import { createClient, isRetryable, type Result } from '../../../client/client.ts';
import { rule } from '../../conformance/rule.ts';
import { fetchChecked, findMachine } from '../fetch-checked.ts';

const baseUrl = inject('baseUrl');
const { machines } = inject('fixtures');
const machineOf = (name: string) => findMachine(machines, name);
const client = createClient({ baseUrl: `${baseUrl}/` });
const json = async (path: string) => (await fetchChecked(baseUrl + path)).json();

/** Returns the value, or throws with the error. */
function valueOf<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(JSON.stringify(result.error));
  return result.value;
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

  it('has rating, explanation and card as the service sends them', async () => {
    expect(valueOf(await client.getExplanation(id))).toMatchObject(await json(`/mcr/${did}`));
    expect(valueOf(await client.getCard(id))).toEqual(await json(`/machines/${id}`));
  });

  it('has a daily history', async () => {
    const history = valueOf(await client.getHistory(id));
    expect(history).toEqual(await json(`/mcr/${did}/history`));
    expect(history.points.length).toBeGreaterThan(0);
  });

  it('has events in pages, where its visibility allows it', async () => {
    const { id: shown } = machineOf('visibility-onchain');
    const first = valueOf(await client.listEvents(shown, { limit: 1 }));
    expect(first).toEqual(await json(`/machines/${shown}/events?limit=1`));
    const cursor = first.next_cursor;
    expect(valueOf(await client.listEvents(shown, { cursor }))).toEqual(
      await json(`/machines/${shown}/events?cursor=${cursor}`),
    );
  });

  it('has a profile whose facts have the same name in every deployment', async () => {
    const { svcos, ...top } = await json(`/machine/${did}`);
    expect(valueOf(await client.getProfile(id))).toEqual({ ...top, facts: svcos });
    expect(valueOf(await client.getTokenMetadata(id))).toEqual({ ...top, facts: svcos });
  });

  it('has the block of its response', async () => {
    expect(await client.getRating(id)).toMatchObject({
      block: { number: expect.any(BigInt), ageSeconds: expect.any(Number) },
    });
  });

  it('has a Verify record', async () => {
    expect(valueOf(await client.getVerification(id))).toEqual(await json(`/v1/verify/machines/${id}`));
  });
});

describe('a fleet', () => {
  const { owner } = machineOf('rated-aaa');

  it('is listed in pages', async () => {
    const path = `/operator/did:svc:${owner.toLowerCase()}/machines?offset=1&limit=2`;
    const { machines: listed, pagination } = await json(path);
    expect(valueOf(await client.listFleet(owner, { offset: 1, limit: 2 }))).toMatchObject({
      machines: listed,
      pagination,
    });
  });

  it('is listed completely, with every machine once', async () => {
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

it('returns health, readiness, status and deployment of the service', async () => {
  expect(valueOf(await client.getHealth())).toEqual({ status: 'ok' });
  expect(valueOf(await client.getReadiness())).toMatchObject({ status: 'ready' });
  expect(valueOf(await client.getStatus({ maxLagBlocks: 7 }))).toMatchObject({ max_lag_blocks: 7 });
  expect(valueOf(await client.getDeployment())).toEqual(await json('/.well-known/svc-monetization'));
});

describe('an error', () => {
  const kindOf = async (result: Promise<Result<unknown>>) => {
    const settled = await result;
    return settled.ok ? 'ok' : `${'status' in settled.error ? settled.error.status : '-'} ${settled.error.kind}`;
  };
  const absent = 12_345n;

  it.each([
    ['an invalid id', () => client.getRating('0042'), '- invalid-argument'],
    ['an invalid operator', () => client.listFleet('0x12'), '- invalid-argument'],
    ['an unknown machine', () => client.getRating(absent), '404 machine-not-found'],
    ['its card', () => client.getCard(absent), '404 machine-not-found'],
    ['its token', () => client.getTokenMetadata(absent), '404 machine-not-found'],
    ['its verification', () => client.getVerification(absent), '404 machine-not-found'],
    ['its monetization state', () => client.getMonetization(absent), '404 machine-not-found'],
    ['private events', () => client.listEvents(machineOf('visibility-private').id), '403 event-data-private'],
    ['a relocating machine', () => client.getRating(machineOf('relocating').id), '503 machine-relocating'],
    [
      'a machine homed elsewhere',
      () => client.getRating(machineOf('homed-elsewhere').id),
      '409 machine-homed-elsewhere',
    ],
    [
      'a page size over the limit',
      () => client.listFleet(machineOf('fresh').owner, { limit: 21 }),
      '422 invalid-parameters',
    ],
    ['an invalid wallet', () => client.getWalletRating('0'), '400 invalid-wallet'],
  ])('is returned for %s', async (_, read, expected) => {
    expect(await kindOf(read())).toBe(expected);
  });

  it('is returned where nothing listens', async () => {
    const answer = await createClient({ baseUrl: 'http://127.0.0.1:1' }).getHealth();
    expect(answer).toEqual({ ok: false, error: { kind: 'unreachable', text: 'no response' } });
    expect(!answer.ok && isRetryable(answer.error)).toBe(true);
  });

  it('is returned when the caller aborts', async () => {
    expect(await kindOf(client.getHealth({ signal: AbortSignal.abort() }))).toBe('- unreachable');
  });

  it('is returned for a response about another machine', async () => {
    rule('client.other-machine');
    const { did } = machineOf('fresh');
    const other: typeof fetch = () => fetch(`${baseUrl}/mcr/${did}`);
    const crossed = createClient({ baseUrl, fetch: other });
    expect(await kindOf(crossed.getRating(machineOf('rated-aaa').id))).toBe('200 unexpected-response');
    expect(await kindOf(crossed.getRating(did))).toBe('ok');
  });

  it('is thrown for an id as a number, which would be rounded', () => {
    expect(() => client.getRating(42 as unknown as bigint)).toThrow(TypeError);
  });
});
