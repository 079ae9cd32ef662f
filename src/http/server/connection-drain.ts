/**
 * Connections of a closing server: those that are still pending are accepted, and each closes when it becomes idle, so that no
 * client loses a response (http-facts 2).
 */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate as afterPolling } from 'node:timers/promises';

/** Time that a request may take to follow the opening of its connection, on a server that is closing. */
const FIRST_REQUEST_MILLISECONDS = 250;
/** Event loop ticks without a new connection after which none is pending; the first may be the end of an older tick. */
const EMPTY_TICKS = 3;
/** Bounds the wait when new connections keep arriving. */
const MAX_TICKS = 2_000;
const IDLE_CHECK_MILLISECONDS = 50;

/** Open connections of each server. */
const openSockets = new WeakMap<Server, Set<Socket>>();

/** Keeps the open connections of the server for `closeWhenIdle`. */
export function trackConnections(server: Server): void {
  const open = new Set<Socket>();
  openSockets.set(server, open);
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
}

/** Accepts the connections that are pending, one in each tick; a server that closed now would reset them. */
export async function acceptPendingConnections(server: Server): Promise<void> {
  if (!server.listening) return;
  let emptyTicks = 0;
  const note = () => (emptyTicks = 0);
  server.on('connection', note);
  for (let tick = 0; tick < MAX_TICKS && emptyTicks < EMPTY_TICKS; tick++) {
    emptyTicks += 1;
    await afterPolling();
  }
  server.off('connection', note);
}

/**
 * Closes connections as they become idle, so that a closing server ends with its last response. Starts after a delay and keeps Node from closing
 * them at once: a connection just opened counts as idle until its request arrives and would be reset, and so does one whose response is not yet
 * read. No connection is closed while a client is still reading.
 */
export function closeWhenIdle(server: Server): void {
  if (!server.listening) return;
  const closeIdle = server.closeIdleConnections.bind(server);
  server.closeIdleConnections = () => undefined;
  const closesFrom = performance.now() + FIRST_REQUEST_MILLISECONDS;
  const isAnyBeingRead = () => [...(openSockets.get(server) ?? [])].some(({ writableLength }) => writableLength > 0);
  // Received data is read before the check; a busy process would otherwise reset its connection.
  const check = () => performance.now() >= closesFrom && setImmediate(() => isAnyBeingRead() || closeIdle());
  const timer = setInterval(check, IDLE_CHECK_MILLISECONDS);
  server.once('close', () => clearInterval(timer));
}
