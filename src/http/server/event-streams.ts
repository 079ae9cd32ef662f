/**
 * Server-sent events (WHATWG HTML, 9.2): opens a response that stays open, and bounds what such responses cost. The number of streams is
 * limited per network and in total; a client that does not read is disconnected; a closing server ends every stream.
 */
import type { ServerResponse } from 'node:http';
import { Fault } from '../../domain/faults.ts';
import type { Timers } from '../../ports/runtime.ts';
import type { RequestContext } from './request-context.ts';
import { beginStream } from './response.ts';

export const MAX_STREAMS = 500;
export const MAX_STREAMS_OF_NETWORK = 16;
/** Proxies close connections that are silent for a minute. */
export const HEARTBEAT_MILLISECONDS = 15_000;
/** Time that a client has to read what it was sent. */
export const READ_TIMEOUT_MILLISECONDS = 30_000;
/** Delay that clients wait before they connect again. */
const RECONNECT_MILLISECONDS = 3_000;

/** Event without a name moves the position that a client continues from, and is not dispatched. */
export type SentEvent =
  { readonly id: string } | { readonly id: string; readonly event: string; readonly data: object };

export interface EventStream {
  /** Aborted when the client has disconnected, or the stream was ended. */
  readonly signal: AbortSignal;
  /** Sends events and waits until the client has read enough of them. Disconnects a client that does not. */
  send(events: readonly SentEvent[]): Promise<void>;
  /** Ends the stream; the client connects again. */
  end(): void;
}

export class EventStreams {
  readonly #timers: Timers;
  readonly #open = new Set<EventStream>();
  readonly #ofNetwork = new Map<string, number>();
  #isClosing = false;

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  get count(): number {
    return this.#open.size;
  }

  /** Opens the response of a request as a stream. Throws `StreamsExceeded`. */
  open(context: RequestContext): EventStream {
    const network = context.networks.at(-1)!;
    const count = this.#ofNetwork.get(network) ?? 0;
    if (this.#isClosing || this.#open.size >= MAX_STREAMS || count >= MAX_STREAMS_OF_NETWORK) {
      throw new Fault('StreamsExceeded', {});
    }
    const { response } = context;
    beginStream(context, `retry: ${RECONNECT_MILLISECONDS}\n\n`);
    const closed = new AbortController();
    const stream: EventStream = {
      signal: closed.signal,
      send: (events) => this.#write(response, events.map(formatEvent).join(''), closed.signal),
      end: () => response.end(),
    };
    this.#open.add(stream);
    this.#ofNetwork.set(network, count + 1);
    response.once('close', () => {
      closed.abort();
      this.#open.delete(stream);
      const left = this.#ofNetwork.get(network)! - 1;
      if (left === 0) this.#ofNetwork.delete(network);
      else this.#ofNetwork.set(network, left);
    });
    void this.#beat(response, closed.signal);
    return stream;
  }

  /** Ends every stream and opens no further one. */
  close(): void {
    this.#isClosing = true;
    for (const stream of this.#open) stream.end();
  }

  async #beat(response: ServerResponse, signal: AbortSignal): Promise<void> {
    for (;;) {
      await this.#timers.wait(HEARTBEAT_MILLISECONDS, signal);
      if (signal.aborted || response.writableEnded) return;
      // A client that is being waited for needs none, and must not collect them.
      if (!response.writableNeedDrain) response.write(': heartbeat\n\n');
    }
  }

  async #write(response: ServerResponse, text: string, signal: AbortSignal): Promise<void> {
    if (text === '' || response.writableEnded || response.destroyed || response.write(text)) return;
    const drained = new AbortController();
    const isDrained = new Promise<true>((resolve) => response.once('drain', () => resolve(true)));
    const ended = AbortSignal.any([signal, drained.signal]);
    const timeout = this.#timers.wait(READ_TIMEOUT_MILLISECONDS, ended).then(() => false);
    if (!(await Promise.race([isDrained, timeout])) && !signal.aborted) response.destroy();
    drained.abort();
  }
}

function formatEvent(sent: SentEvent): string {
  const fields = 'event' in sent ? `event: ${sent.event}\ndata: ${JSON.stringify(sent.data)}\n` : '';
  return `id: ${sent.id}\n${fields}\n`;
}
