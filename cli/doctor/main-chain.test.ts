/** Checks of `svc doctor` at the contracts of the main chain. */
import { expect, it } from 'vitest';
import { ABSENT, present, unreadable, type ReadResult } from '../../src/domain/read-result.ts';
import { examineChipCounter } from './main-chain.ts';

type Options = Parameters<typeof examineChipCounter>;

const VARIABLE = 'ATTESTATION_REGISTRY_ADDRESS';
const UNCOUNTED = {
  state: 'warn',
  subject: VARIABLE,
  text: 'does not respond to chipLogCount(uint256), so a withheld log of a chip record is not detected',
  remedy: 'deploy the current AttestationRegistry',
};

it.each<[name: string, count: ReadResult<bigint>, findings: readonly object[]]>([
  [
    'passes where it counts the logs of chip records',
    present(0n),
    [{ state: 'ok', subject: VARIABLE, text: 'counts the logs of chip records' }],
  ],
  ['warns where it does not count them', ABSENT, [UNCOUNTED]],
  ['says nothing where the counter cannot be read', unreadable('rpc-error'), []],
])('an AttestationRegistry %s', async (_, chipLogCount, findings) => {
  const chain = { readMachineUncached: () => Promise.resolve({ snapshot: { chipLogCount } }) };
  const settings = { addresses: { attestationRegistry: `0x${'0a'.repeat(20)}` } };
  const options = [{ chain }, settings] as unknown as Options;
  expect(await examineChipCounter(...options)).toEqual(findings);
});
