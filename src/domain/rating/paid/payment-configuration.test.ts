import { expect, it } from 'vitest';

import { DEFAULT_NAMESPACE } from '../../identifiers/namespace.ts';
import { paymentFingerprint } from './payment-configuration.ts';

it('differs by sources, rates and the names in payout proofs', () => {
  const fingerprints = [
    paymentFingerprint('a', 'b', DEFAULT_NAMESPACE),
    paymentFingerprint('c', 'b', DEFAULT_NAMESPACE),
    paymentFingerprint('a', 'c', DEFAULT_NAMESPACE),
    paymentFingerprint('a', 'b', { ...DEFAULT_NAMESPACE, payout_header: 'other payout account/1' }),
    paymentFingerprint('a', 'b', { ...DEFAULT_NAMESPACE, did_method: 'other' }),
  ];
  expect(new Set(fingerprints).size).toBe(fingerprints.length);
});
