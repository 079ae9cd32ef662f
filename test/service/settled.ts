/** Waits until the service has followed all payments of a machine of the devnet. */
import { expect } from 'vitest';
import type { MachineFixture } from '../../devnet/fixtures.ts';
import { fetchChecked } from './fetch-checked.ts';

/** A year of payments is followed at the start. */
const SETTLED_WITHIN_MILLISECONDS = 100_000;

/** Resolves when letter, score, summary and verdicts are those of the fixture; at once without payments. */
export async function waitUntilSettled(
  baseUrl: string,
  { did, settled }: Pick<MachineFixture, 'did' | 'settled'>,
): Promise<void> {
  if (settled === null) return;
  const { verdicts, ...rating } = settled;
  await expect
    .poll(async () => (await fetchChecked(`${baseUrl}/mcr/${did}/explanation`)).json(), {
      timeout: SETTLED_WITHIN_MILLISECONDS,
      interval: 500,
    })
    .toMatchObject({ ...rating, evidence: { verdicts } });
}
