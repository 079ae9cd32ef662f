import { expect, it } from 'vitest';
import { parseCertificateTime } from './certificate-time.ts';
import type { CertificateTime } from './certificate.ts';

const at = (iso: string) => Date.parse(iso) / 1000;

it.each<[type: CertificateTime['type'], text: string, seconds: number | undefined]>([
  ['UTCTime', '270115080000Z', at('2027-01-15T08:00:00Z')],
  ['UTCTime', '491231235959Z', at('2049-12-31T23:59:59Z')],
  ['UTCTime', '500101000000Z', at('1950-01-01T00:00:00Z')],
  ['UTCTime', '991231235959Z', at('1999-12-31T23:59:59Z')],
  ['UTCTime', '000101000000Z', at('2000-01-01T00:00:00Z')],
  ['GeneralizedTime', '20500101000000Z', at('2050-01-01T00:00:00Z')],
  ['GeneralizedTime', '99991231235959Z', at('9999-12-31T23:59:59Z')],
  ['GeneralizedTime', '20491231235959Z', undefined],
  ['GeneralizedTime', '00500101000000Z', undefined],
  ['UTCTime', '0270115080000Z', undefined],
  ['UTCTime', '270115080000ZZ', undefined],
  ['UTCTime', '20500101000000Z', undefined],
  ['GeneralizedTime', '020500101000000Z', undefined],
  ['GeneralizedTime', '20500101000000ZZ', undefined],
  ['GeneralizedTime', '270115080000Z', undefined],
])('parses or rejects %s %s', (type, text, seconds) => {
  expect(parseCertificateTime({ type, text })).toBe(seconds);
});
