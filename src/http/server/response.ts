/**
 * How is an answer written? The only place that writes to a response: every answer has a length and, but for pages and images, is JSON, wears the
 * headers of its surface, is written once, by the route or by its deadline, and leaves one line in the log (http-facts 2, decisions 4, evidence 2).
 */
import { Fault } from '../../domain/faults.ts';
import type { BlockRef } from '../../domain/machine/machine-facts.ts';
import { matchesEntityTag } from './entity-tag.ts';
import type { RequestContext, Surroundings } from './request-context.ts';
import type { StaticAsset } from '../../ports/presentation.ts';
import type { Media } from '../images/svg-media.ts';
import type { EncodedJson, EncodedText } from './json-encoding.ts';
import { PAGE_HEADERS } from '../pages/html-shell.ts';
import { JSON_TYPE, ROUTE_PROFILES } from './route-profiles.ts';
import { toErrorHeaders, toWireError } from '../error-responses.ts';

const JSON_MEDIA: Media = { type: JSON_TYPE, headers: {} };

/**
 * Sends a 200 that a cache may keep if it asks again each time, or the 304 it asked for.
 * `block` is the block that the answer stands on; its age is told by the service's clock.
 */
export function sendCacheableJson(exchange: RequestContext, json: EncodedJson, block?: BlockRef): void {
  sendMedia(exchange, json, JSON_MEDIA, block);
}

/** As `sendCacheableJson`, of another type. */
export function sendMedia(exchange: RequestContext, encoded: EncodedText, media: Media, block?: BlockRef): void {
  const headers = toRevalidatedHeaders(exchange, encoded.etag, media, block);
  if (isKnown(exchange, encoded.etag)) {
    sendEmpty(exchange, 304, headers);
  } else {
    headers.push('Content-Type', media.type, 'Content-Length', String(encoded.byteLength));
    send(exchange, 200, headers, encoded.text, encoded.byteLength);
  }
}

/** What is made only for those who do not have it yet. */
export interface RenderedImage {
  /** As of `EncodedText`. */
  readonly etag: string;
  /** Undefined: nobody waited for it any more. */
  make(): Promise<Buffer | undefined>;
}

/** As `sendMedia`. */
export async function sendImage(
  exchange: RequestContext,
  { etag, make }: RenderedImage,
  media: Media,
  block: BlockRef,
): Promise<void> {
  if (isKnown(exchange, etag)) {
    sendEmpty(exchange, 304, toRevalidatedHeaders(exchange, etag, media, block));
    return;
  }
  const bytes = await make();
  if (bytes === undefined) return;
  const headers = toRevalidatedHeaders(exchange, etag, media, block);
  headers.push('Content-Type', media.type, 'Content-Length', String(bytes.byteLength));
  send(exchange, 200, headers, bytes, bytes.byteLength);
}

function toRevalidatedHeaders(
  { route: { surface, surroundings } }: RequestContext,
  etag: string,
  { headers: own }: Media,
  block: BlockRef | undefined,
): string[] {
  const headers = ['ETag', etag, 'Cache-Control', 'no-cache', ...ROUTE_PROFILES[surface].headers];
  for (const name in own) headers.push(name, own[name]!);
  if (block !== undefined) headers.push(...toBlockHeaders(block, surroundings));
  return headers;
}

function isKnown({ request }: RequestContext, etag: string): boolean {
  const condition = request.headers['if-none-match'];
  return condition !== undefined && matchesEntityTag(condition, etag);
}

/** Sends an answer that no cache may keep: a probe's, a Verify record, the outcome of a write. `block` as for `sendCacheableJson`. */
export function sendUncached(
  exchange: RequestContext,
  status: number,
  { text, byteLength }: EncodedJson,
  block?: BlockRef,
): void {
  const { surface, surroundings } = exchange.route;
  const headers = ['Cache-Control', 'no-store', ...ROUTE_PROFILES[surface].headers];
  if (block !== undefined) headers.push(...toBlockHeaders(block, surroundings));
  headers.push('Content-Type', JSON_TYPE, 'Content-Length', String(byteLength));
  send(exchange, status, headers, text, byteLength);
}

function toBlockHeaders(block: BlockRef, { clock }: Surroundings): string[] {
  const age = Math.max(0, Math.floor(clock.nowMilliseconds() / 1000) - block.timestamp);
  return ['chain-block', String(block.number), 'chain-block-age', String(age)];
}

/** Sends a page; the status is that of what it shows. */
export function sendPage(exchange: RequestContext, status: number, text: string): void {
  const byteLength = Buffer.byteLength(text);
  const headers = ['Cache-Control', 'no-cache', ...PAGE_HEADERS];
  headers.push('Content-Type', 'text/html; charset=utf-8', 'Content-Length', String(byteLength));
  send(exchange, status, headers, text, byteLength);
}

/** Sends a file whose name changes with its content, so that caches keep it for good. */
export function sendStaticAsset(exchange: RequestContext, { contentType, content, gzipped }: StaticAsset): void {
  const isGzipped = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:,|\s|$))/i.test(
    String(exchange.request.headers['accept-encoding'] ?? ''),
  );
  const body = isGzipped ? gzipped : content;
  const headers = ['Cache-Control', 'public, max-age=31536000, immutable', 'Vary', 'Accept-Encoding', ...PAGE_HEADERS];
  if (isGzipped) headers.push('Content-Encoding', 'gzip');
  headers.push('Content-Type', contentType, 'Content-Length', String(body.byteLength));
  send(exchange, 200, headers, body, body.byteLength);
}

/** Sends what the error table says about anything that was thrown. */
export function sendError(exchange: RequestContext, error: unknown): void {
  const { surface, pattern, surroundings } = exchange.route;
  if (!(error instanceof Fault))
    surroundings.log.error({ route: pattern, class: nameClass(error) }, 'unexpected error');
  const wire = toWireError(surface, error);
  const text = JSON.stringify(wire.body);
  send(exchange, wire.status, toErrorHeaders(surface, wire, text), text, Buffer.byteLength(text), error);
}

/** Sends a status that has no body, as preflights and 304 have. */
export function sendEmpty(exchange: RequestContext, status: number, headers: readonly string[]): void {
  send(exchange, status, [...headers], '', 0);
}

/** Of two answers to one request the first is sent. Node leaves the text out for a HEAD. */
function send(
  exchange: RequestContext,
  status: number,
  headers: string[],
  text: string | Buffer,
  byteLength: number,
  error?: unknown,
): void {
  const { response } = exchange;
  if (response.headersSent) return;
  response.writeHead(status, headers);
  // Characters and bytes are the same for ASCII, and Node writes latin1 fastest.
  response.end(text, text.length === byteLength ? 'latin1' : 'utf8');
  settle(exchange, status, error);
}

function settle(exchange: RequestContext, status: number, error?: unknown): void {
  const { deadlines, pattern, surroundings, tally } = exchange.route;
  deadlines.leave(exchange);
  tally.add(exchange.request.method ?? '', status, performance.now() - exchange.arrivedAtMilliseconds);
  if (error !== undefined) surroundings.tally.addFault(error);
  if (!surroundings.logsRequests) return;
  const milliseconds = surroundings.clock.nowMilliseconds() - exchange.startedAtMilliseconds;
  const line = { method: exchange.request.method, route: pattern, status, milliseconds };
  surroundings.log.info(error === undefined ? line : { ...line, ...describe(error) }, 'request');
}

/** Fixed words only: the kind of a fault and its cause, or the class of whatever else was thrown. */
function describe(error: unknown): { fault: string; cause?: string } {
  if (!(error instanceof Fault)) return { fault: 'Unexpected', cause: nameClass(error) };
  return 'cause' in error.context ? { fault: error.kind, cause: String(error.context.cause) } : { fault: error.kind };
}

function nameClass(error: unknown): string {
  return error instanceof Error ? error.constructor.name : typeof error;
}
