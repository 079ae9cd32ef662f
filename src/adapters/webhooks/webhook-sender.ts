/**
 * Sends webhooks: signed, bounded in time and size, without redirects, and only to addresses that the receiver may have
 * (docs/decisions/changes.md). Nothing of a response or of a secret reaches a log.
 */
import { isIP } from 'node:net';
import { Agent, request, type Dispatcher } from 'undici';
import { nowSeconds, type Clock } from '../../ports/runtime.ts';
import type { DeliveryProblem, SendWebhook, WebhookMessage } from '../../ports/webhooks.ts';
import {
  ADDRESS_REFUSED,
  createCheckedLookup,
  isLoopbackAddress,
  isPublicAddress,
  type ResolveName,
} from '../outbound/public-address.ts';
import { isLoopbackHost, type Receiver } from './watch-file.ts';
import { signWebhook } from './webhook-signature.ts';

const TIMEOUT_MILLISECONDS = 10_000;
/** Bytes of a response that are read, and then ignored. */
const MAX_RESPONSE_BYTES = 16_384;
const CONNECTIONS = 4;

export interface WebhookSenderOptions {
  readonly clock: Clock;
  /** Certificates that are trusted besides those of the system, in tests. */
  readonly certificateAuthority?: string;
  /** The name service; that of the system when absent. */
  readonly resolveName?: ResolveName;
  readonly timeoutMilliseconds?: number;
}

export interface WebhookSender {
  readonly send: SendWebhook;
  close(): Promise<void>;
}

/** Creates a sender for these receivers. A receiver without an entry has problem `address`. */
export function createWebhookSender(receivers: readonly Receiver[], options: WebhookSenderOptions): WebhookSender {
  const { clock, certificateAuthority, resolveName, timeoutMilliseconds = TIMEOUT_MILLISECONDS } = options;
  const targets = new Map(
    receivers.map((receiver) => {
      const isAccepted = createAddressRule(receiver);
      const connect = {
        lookup: createCheckedLookup(isAccepted, resolveName),
        timeout: timeoutMilliseconds,
        ...(certificateAuthority !== undefined && { ca: certificateAuthority }),
      };
      const agent = new Agent({ connect, connections: CONNECTIONS, maxResponseSize: MAX_RESPONSE_BYTES });
      return [receiver.name, { receiver, isAccepted, agent }];
    }),
  );

  async function post({ url, secrets }: Receiver, agent: Agent, { id, body }: WebhookMessage): Promise<number> {
    const timestamp = nowSeconds(clock);
    const response: Dispatcher.ResponseData = await request(url, {
      method: 'POST',
      dispatcher: agent,
      headers: {
        'content-type': 'application/json',
        'webhook-id': id,
        'webhook-timestamp': String(timestamp),
        'webhook-signature': signWebhook(secrets, id, timestamp, body),
      },
      body,
      signal: AbortSignal.timeout(timeoutMilliseconds),
    });
    // The status decides; an endless or broken body does not.
    await response.body.dump({ limit: MAX_RESPONSE_BYTES }).catch(() => undefined);
    return response.statusCode;
  }

  return {
    async send(name, message) {
      const target = targets.get(name);
      if (target === undefined) return 'address';
      const { receiver, isAccepted, agent } = target;
      // A literal address is not resolved, so the lookup does not check it.
      const host = receiver.url.hostname.replace(/^\[|\]$/g, '');
      if (isIP(host) !== 0 && !isAccepted(host)) return 'address';
      try {
        return judgeStatus(await post(receiver, agent, message));
      } catch (error) {
        return judgeFailure(error);
      }
    },
    async close() {
      await Promise.all([...targets.values()].map(({ agent }) => agent.destroy()));
    },
  };
}

/** A loopback host stays on this machine; any other name may not lead to it, or into a private network, unless that is configured. */
function createAddressRule({ url, allowsPrivateAddress }: Receiver): (address: string) => boolean {
  if (isLoopbackHost(url)) return isLoopbackAddress;
  return allowsPrivateAddress ? () => true : isPublicAddress;
}

function judgeStatus(status: number): DeliveryProblem | undefined {
  if (status >= 200 && status <= 299) return undefined;
  if (status >= 300 && status <= 399) return 'redirect';
  return status <= 499 ? 'client-error' : 'server-error';
}

function judgeFailure(error: unknown): DeliveryProblem {
  const { name, code, message } = error as {
    readonly name?: string;
    readonly code?: string;
    readonly message?: string;
  };
  if (message === ADDRESS_REFUSED) return 'address';
  const isTimeout = name === 'TimeoutError' || (code ?? '').endsWith('_TIMEOUT');
  return isTimeout ? 'timeout' : 'connection';
}
