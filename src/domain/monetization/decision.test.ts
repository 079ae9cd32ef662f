import { describe, expect, it } from 'vitest';
import { ALT_OWNER, OWNER } from '../../../testing/fixtures/deciding-machines.ts';
import { formatSigner } from './decision.ts';

describe('a signer is shown', () => {
  it('as an address with its checksum', () => {
    expect(formatSigner(OWNER.address)).toBe('0x1a642f0E3c3aF545E7AcBD38b07251B3990914F1');
  });

  it('as a key, letter for letter', () => {
    expect(formatSigner(ALT_OWNER.key)).toBe('GmaDrppBC7P5ARKV8g3djiwP89vz1jLK23V2GBjuAEGB');
  });
});
