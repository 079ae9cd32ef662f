/** Findings of `svc doctor` for causes that stop or slow an index. */
import { describe, expect, it } from 'vitest';
import {
  explainCause,
  FIRST_INDEX_LIMITS,
  PLAIN_INDEX_CAUSES,
  SLOWING_CAUSES,
  type IndexCause,
} from '../../../src/domain/index-rules/index-cause.ts';
import { formatFinding } from '../check-result.ts';
import { toCauseFinding } from './cause-finding.ts';

const CAUSES: readonly IndexCause[] = [
  ...PLAIN_INDEX_CAUSES.map((kind) => ({ kind })),
  { kind: 'finality-distant', gapBlocks: 450 },
  ...FIRST_INDEX_LIMITS.map(
    (limit) => ({ kind: 'first-index-slow', limit, rangeBlocks: 3, seconds: 200_000 }) as const,
  ),
  { kind: 'alt-first-index-slow', seconds: 200_000 },
  { kind: 'hosts-missing', hosts: 1, quorum: 2 },
  { kind: 'machines-refused', machines: 3 },
  { kind: 'alt-machines-refused', machines: 3 },
];

describe('a cause that stops or slows an index', () => {
  it.each(CAUSES)('has a line, a remedy and a failing state, or a warning where it stops nothing: $kind', (cause) => {
    const explained = explainCause(cause);
    const finding = toCauseFinding(explained);
    expect(SLOWING_CAUSES.includes(cause.kind) ? ['warn'] : ['fail', 'unreachable']).toContain(finding.state);
    expect(formatFinding(finding)).toContain(`${explained.subject}: ${explained.text}; `);
    expect(explained.remedy.endsWith(finding.remedy!)).toBe(true);
    expect(explained.remedy).not.toBe('');
  });

  it.each(['calls-refused', 'alt-calls-refused'] as const)('does not refer to svc doctor: %s', (kind) => {
    expect(explainCause({ kind }).remedy).toContain('svc doctor');
    expect(toCauseFinding(explainCause({ kind })).remedy).toMatch(/^name another node in (?:MAIN|ALT)_RPC_URLS$/);
  });

  it('shows the text of the node beside the sentence', () => {
    const { text } = explainCause({ kind: 'logs-refused' });
    const finding = toCauseFinding(explainCause({ kind: 'logs-refused' }), 'limit exceeded');
    expect(finding.text).toBe(`${text} (the node: limit exceeded)`);
  });
});
