/** Creates the search of payments and the worker that follows them; nothing without payment sources. */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { createSignatureChecks } from '../domain/signatures/signature-checks.ts';
import { NATIVE_CURVES } from '../domain/signatures/native-curves.ts';
import type { PollLoop } from '../indexing/loops/poll-loop.ts';
import type { PaymentSourceState } from '../ports/runtime.ts';
import { createPaymentScanner, type PaymentScanner } from '../indexing/payments/payment-scanner.ts';
import { createPaymentWorker } from '../indexing/payments/payment-worker.ts';
import { nameLoop } from './named-loop.ts';
import { CLOCK, MONOTONIC_CLOCK, TIMERS } from './process-time.ts';
import type { ServiceStart } from './startup.ts';

export interface PaymentParts {
  readonly scanner: PaymentScanner;
  /** Runs in the leader. */
  readonly worker: PollLoop;
  report(): readonly PaymentSourceState[];
}

export function createPayments(start: ServiceStart): PaymentParts | undefined {
  const { config, store, paymentSources, fxRates, log, workScope } = start;
  if (paymentSources.list.length === 0) return undefined;
  const shared = { store, sources: paymentSources, namespace: config.namespace, fxRates, log };
  const checks = createSignatureChecks(NATIVE_CURVES);
  const { loop, report } = createPaymentWorker({
    ...shared,
    clock: CLOCK,
    monotonicClock: MONOTONIC_CLOCK,
    homes: config.altChain === undefined ? ['main'] : ['main', 'alt'],
    timers: TIMERS,
    pollIntervalMilliseconds: config.pollIntervalSeconds * 1000,
  });
  return {
    scanner: createPaymentScanner({
      ...shared,
      ...{ clock: MONOTONIC_CLOCK, checks, yieldToEventLoop, onSearched: loop.wake },
    }),
    report,
    worker: nameLoop(loop, { kind: 'index' }, workScope),
  };
}
