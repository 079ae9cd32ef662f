import { describe, expect, it } from 'vitest';
import { judgeAltDeployment, type AltConfig, type AltRegistry } from './alt-deployment.ts';
import type { AltKey } from '../identifiers/alt-identifiers.ts';
import { ABSENT, present, unreadable, type ReadResult } from '../read-result.ts';

const PROGRAM = '9sN1LRY25uuSLCV3o9zH5JRfkLEZC8t1KvJpZ65oa24F' as AltKey;
const OTHER = 'GxPdR7jqb6KhD2ArK7cbPq3P87u4wvL3psSSuXQ6msou' as AltKey;
const REGISTRY = { localOrdinal: 5, machineCount: 7n };
const CONFIG = { registryProgram: PROGRAM, localOrdinal: 5, generalPausedGlobal: true, technicalPausedGlobal: false };
const UNREADABLE = unreadable('undecodable');
const WRONG = { state: 'unreadable', cause: 'wrong-deployment' };

describe('the deployment that a node serves', () => {
  it('is present when both singletons match', () => {
    expect(judge(present(REGISTRY), present(CONFIG))).toStrictEqual(
      present({ machineCount: 7n, generalPausedGlobal: true, technicalPausedGlobal: false }),
    );
  });

  it.each<[name: string, registry: ReadResult<AltRegistry>, config: ReadResult<AltConfig>, expected: unknown]>([
    ['another registry', present({ ...REGISTRY, localOrdinal: 6 }), present(CONFIG), WRONG],
    ['another config', present(REGISTRY), present({ ...CONFIG, localOrdinal: 6 }), WRONG],
    ['a config of another registry', present(REGISTRY), present({ ...CONFIG, registryProgram: OTHER }), WRONG],
    ['no registry', ABSENT, present(CONFIG), WRONG],
    ['no config', present(REGISTRY), ABSENT, WRONG],
    ['nothing', ABSENT, ABSENT, WRONG],
    ['an unreadable registry', UNREADABLE, ABSENT, UNREADABLE],
    ['an unreadable config', ABSENT, UNREADABLE, UNREADABLE],
  ])('is unreadable with %s', (_name, registry, config, expected) => {
    expect(judge(registry, config)).toStrictEqual(expected);
  });
});

function judge(registry: ReadResult<AltRegistry>, config: ReadResult<AltConfig>) {
  return judgeAltDeployment(registry, config, { ordinal: 5, registryProgram: PROGRAM });
}
