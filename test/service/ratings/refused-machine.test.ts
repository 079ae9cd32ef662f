/** A machine that is refused while the index is up to date: `/status` is not fresh until it is rated, and `/ready` stays ready. */
import { numberToHex, toFunctionSelector } from 'viem';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import type { StatusResponse } from '../../../client/client.ts';
import { respondInner } from '../../../testing/harness/rpc-proxy.ts';
import { fetchChecked, findMachine } from '../fetch-checked.ts';
import { startIndexedService, type ProxiedService } from '../proxied-service.ts';

const { did } = findMachine(inject('fixtures').machines, 'rated-b');
/** A snapshot from before a change is cached for a minute. */
const SOON = { timeout: 110_000 };
const OTHER_COUNT = { success: true, returnData: numberToHex(99, { size: 32 }) } as const;

let proxied: ProxiedService;
beforeAll(async () => {
  proxied = await startIndexedService();
});
afterAll(() => proxied.close());

/** Requests the machine, and returns the status of that, and what `/status` (with whether it names the cause) and `/ready` say then. */
async function observe() {
  const { url } = proxied.service;
  const rating = await fetchChecked(`${url}/mcr/${did}`);
  const status = await fetchChecked(`${url}/status`);
  const ready = await fetchChecked(`${url}/ready`);
  const isNamed = status.json<StatusResponse>().causes.some(({ cause }) => cause === 'machines-refused');
  return [rating.status, status.status, isNamed, ready.status];
}

it('makes /status not fresh while a counter of its contract differs', { timeout: 300_000 }, async () => {
  const { proxy } = proxied;
  proxy.inject(respondInner(toFunctionSelector('chipLogCount(uint256)'), OTHER_COUNT));
  await expect.poll(observe, SOON).toEqual([503, 503, true, 200]);
  proxy.heal();
  await expect.poll(observe, SOON).toEqual([200, 200, false, 200]);
});
