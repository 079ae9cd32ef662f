/** Encoding of alt-chain events into instructions, program logs and accounts (chain-svm 3.4 to 3.6). */
import { encodeMachineEventLog } from '../../devnet/alt-node/event-accounts.ts';
import { BorshWriter } from '../../devnet/alt-node/borsh-writer.ts';
import type { EventRecord } from '../../src/domain/machine/machine-facts.ts';
import { ADMIN, addressesOf } from './deployment.ts';
import type { AltLog, AltSimEvent } from './machine-state.ts';

export type EventOperation =
  | { readonly kind: 'submit'; readonly id: bigint; readonly index: number; readonly event: AltSimEvent }
  | {
      readonly kind: 'import' | 'adopt';
      readonly id: bigint;
      readonly prior: number;
      /** Number of events after the operation. */
      readonly count: number;
      readonly event: AltSimEvent | undefined;
    }
  | { readonly kind: 'close'; readonly id: bigint; readonly count: number };

export function toRecord(event: AltSimEvent): EventRecord {
  return {
    eventType: event.type,
    value: event.value,
    timestamp: BigInt(event.timestamp),
    dataHash: `0x${event.dataHash}`,
    trustLevel: event.trust,
    sourceChainId: event.citation?.chainId ?? 0n,
    sourceTxHash: `0x${event.citation?.hash ?? '00'.repeat(32)}`,
    metadata: `0x${event.metadata}`,
    currency: event.currency,
  };
}

const INSTRUCTIONS = {
  submit: 'aa7f8995a8b2ff0c',
  import: '6ebec5ec87be4d42',
  adopt: '5ec1c766cb544f04',
  close: '838668416997ca7c',
} as const;

const LOG_EVENTS = {
  submit: 'bca6cd9fd7ea8494',
  import: 'df9aa2f7a7243770',
  adopt: '94bce30db27982f5',
  close: '816b9875e1591d43',
} as const;

export function encodeInstruction(operation: EventOperation): Uint8Array {
  const writer = new BorshWriter().hex(INSTRUCTIONS[operation.kind]).word(operation.id);
  switch (operation.kind) {
    case 'submit':
      return writer.eventRecord(toRecord(operation.event)).bytes();
    case 'import':
    case 'adopt':
      return writer
        .u64(BigInt(operation.prior))
        .option(operation.event, (inner, event) => inner.eventRecord(toRecord(event)))
        .bytes();
    case 'close':
      return writer.bytes();
  }
}

/** Returns the payload that the program logs for an operation. */
export function encodeLogEvent(operation: EventOperation): Uint8Array {
  const writer = new BorshWriter().hex(LOG_EVENTS[operation.kind]).word(operation.id);
  switch (operation.kind) {
    case 'submit':
      return writer.u64(BigInt(operation.index)).eventRecord(toRecord(operation.event)).bytes();
    case 'import':
      return writer.u64(BigInt(operation.prior)).bytes();
    case 'adopt':
      return writer.u64(BigInt(operation.prior)).u64(BigInt(operation.count)).bytes();
    case 'close':
      return writer.u64(BigInt(operation.count)).key(ADMIN).bytes();
  }
}

/** Returns the bytes of an event log account; leftover bytes follow its content. */
export function encodeEventLog(id: bigint, { prior, events, garbage }: AltLog): Uint8Array {
  const last = events.at(-1);
  const { bump } = addressesOf(id).eventLog;
  const bytes = encodeMachineEventLog({
    machineId: id,
    count: BigInt(events.length),
    priorEventCount: BigInt(prior),
    lastEvent: last && toRecord(last),
    bump,
  });
  const end = bytes.findLastIndex((byte) => byte !== 0) + 1;
  return bytes.fill(garbage, end);
}
