/** Home chains of machines and the members of their responses (interface, Machine identifier, Machine profile, Read routes; decisions 1). */
import { describe, expect, inject, it } from 'vitest';
import { rule } from '../../conformance/rule.ts';
import { fetchChecked, findMachine } from '../fetch-checked.ts';

const baseUrl = inject('baseUrl');
const { machines, operators } = inject('fixtures');
const get = (path: string) => fetchChecked(baseUrl + path);

type Machine = (typeof machines)[number];

const readsOf = ({ did, id }: Machine) => [
  `/mcr/${did}`,
  `/mcr/${did}/explanation`,
  `/mcr/${did}/history`,
  `/machine/${did}`,
  `/metadata/${id}`,
  `/machines/${id}`,
  `/machines/${id}/events`,
];
const imagesOf = ({ id }: Machine) => ['card.svg', 'badge.svg'].map((name) => `/machines/${id}/${name}`);
const listingsOf = ({ address }: { address: string }) =>
  [0, 20].map((offset) => `/operator/${address}/machines?offset=${offset}`);

describe('a machine id', () => {
  it('is a JSON string in every response of every route', async () => {
    rule('service.ids-are-strings', 'card.registration-id-is-string');
    const paths = [
      ...machines.flatMap((machine) => [...readsOf(machine), `/machine/${machine.id}/monetization`]),
      ...operators.flatMap(listingsOf),
    ];
    const ids = new Set<string>();
    for (const path of paths) {
      const { text } = await get(path);
      expect(longNumbersOf(text), path).toEqual([]);
      JSON.parse(text, (name, value: unknown) => {
        if (!['machine_id', 'machineId', 'token_id'].includes(name)) return value;
        expect(value, path).toMatch(/^[1-9]\d*$/);
        return (ids.add(value as string), value);
      });
    }
    expect([...ids].every((id) => machines.some((machine) => machine.id === id) || listed.has(id))).toBe(true);
    expect(ids.size).toBeGreaterThan(machines.length / 2);
  });

  const listed = new Set(operators.flatMap((operator) => operator.machines));

  /** Returns digits outside of strings that a number type would round. */
  function longNumbersOf(json: string): string[] {
    return json.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""').match(/\d{16,}/g) ?? [];
  }

  it('rounded by a number type addresses another machine', async () => {
    rule('service.rounded-id-differs', 'monetization-errors.not-found');
    const { id } = findMachine(machines, 'rated-aaa');
    const rounded = String(BigInt(Number(id)));
    expect(rounded).not.toBe(id);
    expect((await get(`/machines/${rounded}`)).status).toBe(404);
    expect((await get(`/machine/${rounded}/monetization`)).json()).toMatchObject({
      detail: { code: 'MACHINE_NOT_FOUND' },
    });
  });
});

describe('a main-chain machine', () => {
  const ALT_MEMBERS = ['home_chain', 'rating_unavailable', 'owner', 'controller', 'machine_type', 'relocating'];

  it('has no alt-chain member on any route', async () => {
    rule('profile.main-chain-members');
    let served = 0;
    const onMain = machines.filter(({ home }) => home === 'main');
    const operatorsOnMain = operators.filter(
      ({ machines: ids }) => onMain.filter(({ id }) => ids.includes(id)).length === ids.length,
    );
    for (const path of [...onMain.flatMap(readsOf), ...operatorsOnMain.flatMap(listingsOf)]) {
      const { status, json } = await get(path);
      if (status !== 200) continue;
      served += 1;
      const body = json<{ svcos?: object; machines?: object[]; registrations?: object[] }>();
      for (const part of [body, body.svcos ?? {}, ...(body.machines ?? []), ...(body.registrations ?? [])]) {
        expect(
          Object.keys(part).filter((name) => ALT_MEMBERS.includes(name)),
          path,
        ).toEqual([]);
      }
    }
    expect(served).toBeGreaterThan(onMain.length);
  });
});

describe('a machine homed on a chain that is not served', () => {
  it.each(readsOf(findMachine(machines, 'homed-elsewhere')))(
    'returns 409 with its home as a number on %s',
    async (path) => {
      rule('reads.homed-elsewhere', 'read-errors.409');
      const { status, json } = await get(path);
      expect([status, json()]).toEqual([
        409,
        {
          detail: {
            code: 'MACHINE_HOMED_ELSEWHERE',
            message: expect.stringMatching(/./),
            home_protocol_chain_id: 3,
          },
        },
      ]);
    },
  );
});

describe('a relocating machine', () => {
  const relocating = ['relocating', 'alt-relocating'].flatMap((name) => readsOf(findMachine(machines, name)));

  it.each(relocating)('returns 503 without Retry-After on %s', async (path) => {
    rule('availability.relocating-reads', 'read-errors.503-relocating');
    const { status, headers, json } = await get(path);
    expect([status, json(), headers.get('retry-after')]).toEqual([503, { detail: 'Machine is relocating' }, null]);
  });
});

describe.each([
  ['relocating', 'relocating'],
  ['alt-relocating', 'relocating'],
  ['homed-elsewhere', 'homed on another chain'],
])('the images of the machine %s', (name, state) => {
  it.each(imagesOf(findMachine(machines, name)))('say so on %s', async (path) => {
    rule('images.always');
    const { status, text } = await get(path);
    expect([status, text.includes(`: ${state}</title>`)]).toEqual([200, true]);
  });
});
