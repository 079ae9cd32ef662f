/** Stub `Ctx` for tests of HTTP: a fixed clock, a recording log, and no chain. */
import { MONOTONIC_CLOCK, TIMERS } from '../../src/composition/process-time.ts';
import { DEFAULT_NAMESPACE } from '../../src/domain/identifiers/namespace.ts';
import { createActionState } from '../../src/ports/action-state.ts';
import type { Ctx } from '../../src/ports/ctx.ts';
import { createTrustingClock } from './trusting-clock.ts';

export interface StubCtx extends Ctx {
  readonly time: { milliseconds: number };
  readonly lines: { level: string; fields: object; message: string }[];
}

export function createStubCtx(parts: Partial<Ctx> = {}): StubCtx {
  const time = { milliseconds: 1_788_900_000_000 };
  const lines: StubCtx['lines'] = [];
  const record = (level: string) => (fields: object, message: string) => lines.push({ level, fields, message });
  const clock = parts.clock ?? { nowMilliseconds: () => time.milliseconds };
  return {
    clock,
    trustedClock: createTrustingClock(clock),
    monotonicClock: MONOTONIC_CLOCK,
    timers: TIMERS,
    actionState: createActionState(),
    log: { info: record('info'), warn: record('warn'), error: record('error') },
    namespace: DEFAULT_NAMESPACE,
    publicUrl: 'http://localhost:8000',
    pollIntervalSeconds: 60,
    store: {} as Ctx['store'],
    fxRates: {} as Ctx['fxRates'],
    main: undefined,
    alt: undefined,
    bindings: undefined,
    onboarding: undefined,
    partnerData: undefined,
    ...parts,
    time,
    lines,
  };
}
