/** Compares sent messages with the schemas of `/asyncapi.json`. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import { AJV_OPTIONS } from './openapi-conformance.ts';

interface MessageDescription {
  readonly payload: object;
  readonly headers?: object;
}

export interface AsyncapiDocument {
  readonly channels: Readonly<
    Record<string, { readonly messages: Readonly<Record<string, MessageDescription>> } | undefined>
  >;
}

/** Returns the differences between a message and its description; an unknown message has one. */
export function findMessageProblems(
  document: AsyncapiDocument,
  [channel, message]: readonly [channel: string, message: string],
  sent: { readonly payload: unknown; readonly headers?: Readonly<Record<string, string>> },
): string[] {
  const described = document.channels[channel]?.messages[message];
  if (described === undefined) return [`${channel} has no message ${message}`];
  const ajv = new Ajv2020({ ...AJV_OPTIONS, allErrors: true, formats: { ...AJV_OPTIONS.formats, 'date-time': true } });
  const find = (schema: object | undefined, value: unknown): string[] => {
    if (schema === undefined || ajv.validate(schema, value)) return [];
    return ajv.errors!.map(({ instancePath, message: text }) => `${instancePath} ${text}`);
  };
  // A request has further headers.
  const named = Object.entries(sent.headers ?? {}).filter(([name]) => name.startsWith('webhook-'));
  return [...find(described.payload, sent.payload), ...find(described.headers, Object.fromEntries(named))];
}
