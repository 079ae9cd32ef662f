import { describe, expect, it } from 'vitest';
import { ALT_OWNER, OWNER } from '../../../testing/fixtures/deciding-machines.ts';
import { formatSigner } from './decision.ts';

describe('formatSigner', () => {
  it('adds the checksum to an address', () => {
    expect(formatSigner(OWNER.address)).toBe('0x1a642f0E3c3aF545E7AcBD38b07251B3990914F1');
  });

  it('returns a key unchanged', () => {
    expect(formatSigner(ALT_OWNER.key)).toBe('GmaDrppBC7P5ARKV8g3djiwP89vz1jLK23V2GBjuAEGB');
  });
});
