/**
 * How is an answer written? The only place that writes to a response: every answer is JSON with a length, wears the headers of its
 * surface, and is written once, whoever comes first, the route or its deadline (http-facts 2, decisions 4, evidence 2).
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { BlockRef } from '../domain/machine-facts.ts';
import { Fault } from '../domain/faults.ts';
import { matchesEntityTag } from './entity-tag.ts';
import { nameClass } from './exchange.ts';
import type { EncodedJson } from './json-encoding.ts';
import { JSON_TYPE, SURFACES } from './surfaces.ts';
import { toWireError } from './wire-errors.ts';

/**
 * Sends a 200 that a cache may keep if it asks again each time, or the 304 it asked for.
 * `block` is the block that the answer stands on; its age is told by the service's clock.
 */
export function sendJson(request: FastifyRequest, reply: FastifyReply, encoded: EncodedJson, block?: BlockRef): void {
  const { route } = request.exchange;
  const headers = ['ETag', encoded.etag, 'Cache-Control', 'no-cache', ...SURFACES[route.surface].headers];
  if (block !== undefined) {
    const age = Math.max(0, Math.floor(route.clock.nowMilliseconds() / 1000) - block.timestamp);
    headers.push('chain-block', String(block.number), 'chain-block-age', String(age));
  }
  const condition = request.headers['if-none-match'];
  if (condition !== undefined && matchesEntityTag(condition, encoded.etag)) {
    write(request, reply, 304, headers, undefined);
    return;
  }
  headers.push('Content-Type', JSON_TYPE);
  write(request, reply, 200, headers, encoded.body);
}

/** Sends an answer that no cache may keep: a probe's, or a Verify record. */
export function sendFresh(request: FastifyRequest, reply: FastifyReply, status: number, body: Buffer): void {
  const { surface } = request.exchange.route;
  const headers = ['Content-Type', JSON_TYPE, 'Cache-Control', 'no-store', ...SURFACES[surface].headers];
  write(request, reply, status, headers, body);
}

/** Sends what the error table says about anything that was thrown. */
export function sendError(request: FastifyRequest, reply: FastifyReply, error: unknown): void {
  const { surface, pattern, log } = request.exchange.route;
  const wire = toWireError(surface, error);
  const headers = ['Content-Type', JSON_TYPE, 'Cache-Control', 'no-store', ...SURFACES[surface].headers];
  for (const name in wire.headers) headers.push(name, wire.headers[name]!);
  write(request, reply, wire.status, headers, Buffer.from(JSON.stringify(wire.body)), error);
  if (!(error instanceof Fault)) log.error({ route: pattern, class: nameClass(error) }, 'unexpected error');
}

/** Sends an answer without a body, as preflights get. */
export function sendEmpty(
  request: FastifyRequest,
  reply: FastifyReply,
  status: number,
  headers: readonly string[],
): void {
  write(request, reply, status, [...headers], undefined);
}

/** Of two answers to one request the first is sent; Node leaves the body out for a HEAD. */
function write(
  request: FastifyRequest,
  reply: FastifyReply,
  status: number,
  headers: string[],
  body: Buffer | undefined,
  error?: unknown,
): void {
  const response = reply.raw;
  if (response.headersSent) return;
  if (body !== undefined) headers.push('Content-Length', String(body.length));
  response.writeHead(status, headers);
  response.end(body);
  request.exchange.settle(status, error);
}
