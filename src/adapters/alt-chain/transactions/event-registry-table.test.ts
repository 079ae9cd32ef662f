/** Tests instructions and log events of the event registry against the published vectors (chain-svm 3.6). */
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, concatBytes, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { describe, expect, it } from 'vitest';
import { parseBase64 } from '../rpc/base64.ts';
import { readEventInstruction } from './event-registry-instructions.ts';
import { readEventLogEvent } from './event-registry-log-events.ts';
import {
  eventCases,
  programsFile,
  toEventRecord,
  toId,
  vectorMachines,
} from '../../../../testing/fixtures/alt-chain-vectors.ts';

const word = hexToBytes(vectorMachines[0]!.word.slice(2));
const machineId = toId(vectorMachines[0]!.machineId);

describe.each(eventCases)(
  'event $eventIndex',
  ({ eventIndex, payload, payloadBytes, instruction, logLine, decoded }) => {
    const logged = parseBase64(payload)!;
    const sent = parseBase64(instruction)!;
    const record = toEventRecord(decoded);

    it('is decoded from the instruction', () => {
      expect(readEventInstruction(sent)).toStrictEqual({
        instruction: { kind: 'submitted', machineId, record },
        logAccount: 4,
      });
    });

    it('is decoded from the log', () => {
      expect(logged).toHaveLength(payloadBytes);
      expect(logLine).toBe(`Program data: ${payload}`);
      expect(readEventLogEvent(logged)).toStrictEqual({
        kind: 'submitted',
        machineId,
        eventIndex: BigInt(eventIndex),
        record,
      });
    });

    it('is undecodable when truncated at any byte', () => {
      for (let length = 8; length < sent.length; length++) {
        expect(() => readEventInstruction(sent.subarray(0, length)), `${length} bytes`).toThrow('undecodable');
      }
      for (let length = 8; length < logged.length; length++) {
        expect(() => readEventLogEvent(logged.subarray(0, length)), `${length} bytes`).toThrow('undecodable');
      }
    });

    it('may have surplus bytes in the instruction but not in the log', () => {
      expect(readEventInstruction(Uint8Array.of(...sent, 0))?.instruction).toMatchObject({ record });
      expect(() => readEventLogEvent(Uint8Array.of(...logged, 0))).toThrow('undecodable');
    });
  },
);

describe('discriminators', () => {
  const zeros = new Uint8Array(200);

  it.each([
    ['submit_event', 'submitted', 4],
    ['import_machine', 'imported', 3],
    ['adopt_carried_event', 'adopted', 3],
    ['close_machine_event_log', 'closed', 3],
  ])('identify the instruction %s', (name, kind, logAccount) => {
    const discriminator = discriminatorOf('global', name);
    expect(bytesToHex(discriminator)).toBe(programsFile.discriminators.instruction[name]);
    expect(readEventInstruction(concatBytes(discriminator, word, zeros))).toMatchObject({
      instruction: { kind, machineId },
      logAccount,
    });
  });

  it.each([
    ['EventSubmitted', 'submitted', 130],
    ['MachineEventsImported', 'imported', 8],
    ['CarriedEventAdopted', 'adopted', 16],
    ['MachineEventLogClosed', 'closed', 40],
  ])('identify the log event %s', (name, kind, restBytes) => {
    const discriminator = discriminatorOf('event', name);
    expect(bytesToHex(discriminator)).toBe(programsFile.discriminators.event[name]);
    const payload = concatBytes(discriminator, word, zeros.subarray(0, restBytes));
    expect(readEventLogEvent(payload)).toMatchObject({ kind, machineId });
  });

  it('outside of the table give undefined', () => {
    expect(
      readEventInstruction(concatBytes(discriminatorOf('global', 'set_event_registry_config'), zeros)),
    ).toBeUndefined();
    expect(readEventInstruction(new Uint8Array(7))).toBeUndefined();
    expect(readEventLogEvent(concatBytes(discriminatorOf('event', 'MachineMinted'), zeros))).toBeUndefined();
  });
});

it('rejects machine id 0', () => {
  const close = concatBytes(discriminatorOf('global', 'close_machine_event_log'), new Uint8Array(32));
  expect(() => readEventInstruction(close)).toThrow('undecodable');
});

function discriminatorOf(space: string, name: string): Uint8Array {
  return sha256(utf8ToBytes(`${space}:${name}`)).subarray(0, 8);
}
