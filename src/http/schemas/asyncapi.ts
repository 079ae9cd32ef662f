/** The AsyncAPI 3.1 document of changes: the stream of server-sent events, and the webhooks (docs/decisions/changes.md). */
import type { Namespace } from '../../domain/identifiers/namespace.ts';
import { changeParts } from './changes.ts';
import { exampleOf } from './example.ts';
import { closedObject, described, DECIMAL_TEXT, exactly, NONEMPTY_TEXT, type JsonSchema } from './json-schema.ts';

const WEBHOOK_HEADERS = closedObject({
  'webhook-id': described(NONEMPTY_TEXT, 'The same for every attempt: change- and the cursor.', 'change-1201'),
  'webhook-timestamp': described(DECIMAL_TEXT, 'Unix time in seconds of the attempt.', '1772452800'),
  'webhook-signature': described(
    { type: 'string', pattern: '^v1,[A-Za-z0-9+/]{43}=(?: v1,[A-Za-z0-9+/]{43}=)?$' },
    'HMAC-SHA256 of id, timestamp and body, joined by dots; one for each secret of the receiver.',
    `v1,${'A'.repeat(43)}=`,
  ),
});

export function createAsyncDocument(namespace: Namespace, publicUrl: string): object {
  const { Change } = changeParts(namespace);
  const { protocol, host, pathname } = new URL(publicUrl);
  const webhook = closedObject({
    type: exactly('machine.changed'),
    timestamp: described({ type: 'string', format: 'date-time' }, 'Time of the change.', '2026-03-02T12:00:00.000Z'),
    data: Change,
  });
  return {
    asyncapi: '3.1.0',
    info: {
      title: 'Changes of machines',
      version: '1.0.0',
      license: { name: 'Apache-2.0' },
      description: 'Every change is delivered at least once; the cursor orders changes and detects repetitions.',
    },
    servers: {
      service: { host, protocol: protocol.slice(0, -1), ...(pathname !== '/' && { pathname }) },
    },
    channels: {
      changeStream: {
        address: '/changes/stream',
        title: 'Stream of changes',
        description:
          'Server-sent events named `change`. The query takes `after` and `kinds`; the header `Last-Event-ID` continues a stream.',
        servers: [{ $ref: '#/servers/service' }],
        messages: { change: toMessage('change', 'text/event-stream', Change) },
      },
      webhook: {
        // Each receiver chooses its address.
        address: null,
        title: 'Webhooks',
        description: 'POST requests to the receivers of the deployment, as Standard Webhooks describes them.',
        messages: {
          machineChanged: { ...toMessage('machineChanged', 'application/json', webhook), headers: WEBHOOK_HEADERS },
        },
      },
    },
    operations: {
      sendChange: toOperation('changeStream', 'Sends each change to every open stream.'),
      sendWebhook: toOperation('webhook', 'Sends each watched change until it is accepted, for about three days.'),
    },
  };
}

function toMessage(name: string, contentType: string, payload: JsonSchema): object {
  return { name, contentType, payload, examples: [{ payload: exampleOf(payload, {}) }] };
}

function toOperation(channel: string, summary: string): object {
  return { action: 'send', channel: { $ref: `#/channels/${channel}` }, summary };
}
