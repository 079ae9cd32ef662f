/**
 * HTTP responses: the only code that writes to a response. Every response has a length, is JSON but for pages and images, carries the headers
 * of its profile, is written once, by the route or by its deadline, and leaves one line in the log (http-facts 2, decisions 4, evidence 2).
 */
import { Fault } from '../../domain/faults.ts';
import type { BlockRef } from '../../domain/machine/machine-facts.ts';
import { matchesEntityTag } from './entity-tag.ts';
import type { PipelineServices, RequestContext } from './request-context.ts';
import type { StaticAsset } from '../../ports/presentation.ts';
import { findErrorImage } from '../images/error-images.ts';
import { SVG_MEDIA, type Media } from '../images/svg-media.ts';
import type { EncodedJson, EncodedText } from './json-encoding.ts';
import { PAGE_HEADERS } from '../pages/html-shell.ts';
import { JSON_MEDIA, JSON_TYPE, ROUTE_PROFILES, type ProfileName } from './route-profiles.ts';
import { toErrorHeaders, toWireError } from '../error-responses.ts';

/**
 * Sends a 200 that caches must revalidate, or the 304 of a conditional request.
 * `block` is the block the response was computed at; its age is by the clock of the service.
 */
export function sendCacheableJson(context: RequestContext, json: EncodedJson, block?: BlockRef): void {
  sendMedia(context, json, JSON_MEDIA, block);
}

/** Sends a text of any media type with a 200 that caches must revalidate, or the 304 of a conditional request. */
export function sendMedia(context: RequestContext, encoded: EncodedText, media: Media, block?: BlockRef): void {
  const headers = toRevalidatedHeaders(context, encoded.etag, media, block);
  if (isKnown(context, encoded.etag)) {
    sendEmpty(context, 304, headers);
  } else {
    headers.push('Content-Type', media.type, 'Content-Length', String(encoded.byteLength));
    send(context, 200, headers, encoded.text, encoded.byteLength);
  }
}

/** An image that is rendered only for a client that does not have it yet. */
export interface RenderedImage {
  /** Entity tag of the rendered image. */
  readonly etag: string;
  /** Returns undefined when the request was abandoned before the image was rendered. */
  make(): Promise<Buffer | undefined>;
}

/** Sends an image with a 200 that caches must revalidate, or the 304 of a conditional request, which renders nothing. */
export async function sendImage(
  context: RequestContext,
  { etag, make }: RenderedImage,
  media: Media,
  block: BlockRef | undefined,
): Promise<void> {
  if (isKnown(context, etag)) {
    sendEmpty(context, 304, toRevalidatedHeaders(context, etag, media, block));
    return;
  }
  const bytes = await make();
  if (bytes === undefined) return;
  const headers = toRevalidatedHeaders(context, etag, media, block);
  headers.push('Content-Type', media.type, 'Content-Length', String(bytes.byteLength));
  send(context, 200, headers, bytes, bytes.byteLength);
}

function toRevalidatedHeaders(
  { route: { profile, services } }: RequestContext,
  etag: string,
  { headers: own }: Media,
  block: BlockRef | undefined,
): string[] {
  const headers = ['ETag', etag, 'Cache-Control', 'no-cache', ...ROUTE_PROFILES[profile].headers];
  for (const name in own) headers.push(name, own[name]!);
  if (block !== undefined) headers.push(...toBlockHeaders(block, services));
  return headers;
}

function isKnown({ request }: RequestContext, etag: string): boolean {
  const condition = request.headers['if-none-match'];
  return condition !== undefined && matchesEntityTag(condition, etag);
}

/** Sends a response that no cache may store: health checks, Verify records, results of writes. `block` as for `sendCacheableJson`. */
export function sendUncached(
  context: RequestContext,
  status: number,
  { text, byteLength }: EncodedJson,
  block?: BlockRef,
): void {
  const { profile, services } = context.route;
  const headers = ['Cache-Control', 'no-store', ...ROUTE_PROFILES[profile].headers];
  if (block !== undefined) headers.push(...toBlockHeaders(block, services));
  headers.push('Content-Type', JSON_TYPE, 'Content-Length', String(byteLength));
  send(context, status, headers, text, byteLength);
}

/** Sends a text that another protocol has made, which no cache may store. Without a media type it has no body. */
export function sendForeign(context: RequestContext, status: number, type: string | null, text: string): void {
  const byteLength = Buffer.byteLength(text);
  const headers = ['Cache-Control', 'no-store', ...ROUTE_PROFILES[context.route.profile].headers];
  if (type !== null) headers.push('Content-Type', type);
  headers.push('Content-Length', String(byteLength));
  send(context, status, headers, text, byteLength);
}

function toBlockHeaders(block: BlockRef, { clock }: PipelineServices): string[] {
  const age = Math.max(0, Math.floor(clock.nowMilliseconds() / 1000) - block.timestamp);
  return ['chain-block', String(block.number), 'chain-block-age', String(age)];
}

/** Sends a page with the status of the resource it shows, and its links for programs. */
export function sendPage(context: RequestContext, status: number, text: string, link: string): void {
  const byteLength = Buffer.byteLength(text);
  const headers = ['Cache-Control', 'no-cache', ...PAGE_HEADERS, 'Link', link];
  headers.push('Content-Type', 'text/html; charset=utf-8', 'Content-Length', String(byteLength));
  send(context, status, headers, text, byteLength);
}

/** Sends a file whose name changes with its content, so that caches store it permanently. */
export function sendStaticAsset(context: RequestContext, { contentType, content, gzipped }: StaticAsset): void {
  const isGzipped = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:,|\s|$))/i.test(context.request.headers['accept-encoding'] ?? '');
  const body = isGzipped ? gzipped : content;
  const headers = ['Cache-Control', 'public, max-age=31536000, immutable', 'Vary', 'Accept-Encoding', ...PAGE_HEADERS];
  if (isGzipped) headers.push('Content-Encoding', 'gzip');
  headers.push('Content-Type', contentType, 'Content-Length', String(body.byteLength));
  send(context, 200, headers, body, body.byteLength);
}

/** Sends the response that the error table gives to anything that was thrown; a route of images may send one in place of the JSON. */
export function sendError(context: RequestContext, error: unknown): void {
  const { profile, pattern, services, errorImages } = context.route;
  if (!(error instanceof Fault)) services.log.error({ route: pattern, class: nameClass(error) }, 'unexpected error');
  const wire = toWireError(profile, error);
  const image = errorImages && findErrorImage(wire.status, errorImages);
  const text = image ?? JSON.stringify(wire.body);
  const media = image === undefined ? JSON_MEDIA : SVG_MEDIA;
  send(context, wire.status, toErrorHeaders(profile, wire, text, media), text, Buffer.byteLength(text), error);
}

/** Media of server-sent events. Buffering proxies would hold events back. */
export const EVENT_STREAM: Media = { type: 'text/event-stream', headers: { 'X-Accel-Buffering': 'no' } };

/** Begins a response without an end; the deadline of the request has no effect from then on. */
export function beginStream(context: RequestContext, text: string): void {
  const { response, route } = context;
  response.writeHead(200, toStreamHeaders(route.profile));
  response.write(text);
  record(context, 200);
}

/** Sends the headers of a stream alone, for a HEAD. */
export function sendStreamHead(context: RequestContext): void {
  sendEmpty(context, 200, toStreamHeaders(context.route.profile));
}

function toStreamHeaders(profile: ProfileName): string[] {
  const own = Object.entries(EVENT_STREAM.headers).flat();
  return ['Cache-Control', 'no-store', ...ROUTE_PROFILES[profile].headers, ...own, 'Content-Type', EVENT_STREAM.type];
}

/** Sends a status without a body: preflights and 304. */
export function sendEmpty(context: RequestContext, status: number, headers: readonly string[]): void {
  send(context, status, [...headers], '', 0);
}

/** Sends the first of several responses to one request and ignores the others. Node omits the body for a HEAD. */
function send(
  context: RequestContext,
  status: number,
  headers: string[],
  text: string | Buffer,
  byteLength: number,
  error?: unknown,
): void {
  const { response } = context;
  if (response.headersSent) return;
  response.writeHead(status, headers);
  // As many bytes as characters means ASCII, which Node writes fastest as latin1.
  response.end(text, text.length === byteLength ? 'latin1' : 'utf8');
  record(context, status, error);
}

function record(context: RequestContext, status: number, error?: unknown): void {
  const { deadlines, pattern, services, metrics } = context.route;
  deadlines.remove(context);
  metrics.add(
    context.request.method ?? '',
    status,
    services.monotonicClock.nowMilliseconds() - context.arrivedAtMilliseconds,
  );
  if (error !== undefined) services.metrics.addFault(error);
  if (!services.logsRequests) return;
  const milliseconds = services.clock.nowMilliseconds() - context.startedAtMilliseconds;
  const line = { method: context.request.method, route: pattern, status, milliseconds };
  services.log.info(error === undefined ? line : { ...line, ...describe(error) }, 'request');
}

/** Returns fixed words only: the kind of a fault and its cause, or the class of any other error. */
function describe(error: unknown): { fault: string; cause?: string } {
  if (!(error instanceof Fault)) return { fault: 'Unexpected', cause: nameClass(error) };
  return 'cause' in error.context ? { fault: error.kind, cause: error.context.cause } : { fault: error.kind };
}

function nameClass(error: unknown): string {
  return error instanceof Error ? error.constructor.name : typeof error;
}
