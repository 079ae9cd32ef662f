import { expect, it } from 'vitest';
import type { Address } from '../../domain/identifiers/identifiers.ts';
import { formatIndexIdentity, formatOptionalContracts, type IndexedDeployment } from './index-identity.ts';

const address = (digit: string) => `0x${digit.repeat(40)}` as Address;

const DEPLOYMENT: IndexedDeployment = {
  chainId: 3_338,
  startBlock: 120,
  machineRegistry: address('1'),
  crossChainMirror: address('2'),
  eventRegistry: address('3'),
  legacyEventRegistry: undefined,
};

it('includes everything that decides which logs are stored', () => {
  expect(formatIndexIdentity(DEPLOYMENT)).toBe(
    `layout=1 chain=3338 start=120 machines=${address('1')} homes=${address('2')} events=${address('3')} legacy-events=none`,
  );
});

it('changes when any input changes', () => {
  const others: Partial<IndexedDeployment>[] = [
    { chainId: 1 },
    { startBlock: 0 },
    { machineRegistry: address('9') },
    { crossChainMirror: address('9') },
    { eventRegistry: address('9') },
    { legacyEventRegistry: address('9') },
  ];
  const identities = others.map((other) => formatIndexIdentity({ ...DEPLOYMENT, ...other }));
  expect(new Set([formatIndexIdentity(DEPLOYMENT), ...identities]).size).toBe(7);
});

it('names the optional contracts apart', () => {
  expect(formatOptionalContracts(DEPLOYMENT)).toBe('attestations=none flags=none');
  expect(formatOptionalContracts({ ...DEPLOYMENT, attestationRegistry: address('4'), adminFlags: address('5') })).toBe(
    `attestations=${address('4')} flags=${address('5')}`,
  );
});
