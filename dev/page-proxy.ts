/**
 * Reverse proxy of `npm run dev`: serves the page bundle built from the current sources and reloads open pages after a change;
 * every other request goes to the service. Used in development only.
 */
import { readFile } from 'node:fs/promises';
import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { bundlePages, type PageScript } from '../src/adapters/pages/page-bundle.ts';
import { findFirstScript } from '../src/adapters/pages/page-source.ts';
import { PAGE_FILES_PATH } from '../src/http/pages/html-shell.ts';

const RELOAD_SCRIPT_PATH = '/dev/reload.js';
const RELOAD_EVENTS_PATH = '/dev/events';
const RELOAD_SCRIPT = `new EventSource('${RELOAD_EVENTS_PATH}').onmessage = () => location.reload();`;

export interface PageProxy {
  readonly server: Server;
  /** Builds the bundle again at the next request and reloads every open page. */
  reload(): void;
}

/** Creates the proxy, which does not listen yet. `folder` holds the sources of the pages, `servicePort` is local. */
export function createPageProxy(folder: string, servicePort: number): PageProxy {
  const pages = new Set<ServerResponse>();
  let bundle: Promise<readonly PageScript[]> | undefined;

  /** Returns a current script. Any other name is that of the service's first script, which imports the current one instead. */
  async function findScript(path: string): Promise<string> {
    const scripts = await (bundle ??= bundlePages(folder));
    const script = scripts.find(({ name }) => path === `${PAGE_FILES_PATH}/${name}`);
    return script?.code ?? `import './${findFirstScript(scripts).name}';`;
  }

  async function handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = incoming.url ?? '/';
    if (path === RELOAD_EVENTS_PATH) {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' }).flushHeaders();
      pages.add(response);
      response.on('close', () => pages.delete(response));
    } else if (path === RELOAD_SCRIPT_PATH) {
      send(response, 'text/javascript', RELOAD_SCRIPT);
    } else if (path.startsWith(PAGE_FILES_PATH) && path.endsWith('.js')) {
      send(response, 'text/javascript', await findScript(path));
    } else if (path.startsWith(PAGE_FILES_PATH) && path.endsWith('.css')) {
      send(response, 'text/css', await readFile(join(folder, 'page.css'), 'utf8'));
    } else await forward(incoming, response, servicePort);
  }

  const server = createServer((incoming, response) => {
    handle(incoming, response).catch((error: unknown) => {
      if (response.headersSent) response.destroy();
      else send(response.writeHead(502), 'text/plain', `${(error as Error).message}\n`);
    });
  });
  return {
    server,
    reload() {
      bundle = undefined;
      for (const page of pages) page.write('data: reload\n\n');
    },
  };
}

function send(response: ServerResponse, contentType: string, text: string): void {
  if (!response.headersSent) {
    response.setHeader('content-type', `${contentType}; charset=utf-8`);
    response.setHeader('cache-control', 'no-store');
  }
  response.end(text);
}

/** Forwards a request to the service and adds the reload script to pages. */
async function forward(incoming: IncomingMessage, response: ServerResponse, port: number): Promise<void> {
  // Pages are modified here, so they must not be compressed.
  const headers = { ...incoming.headers, 'accept-encoding': 'identity' };
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const outgoing = request({ port, host: '127.0.0.1', path: incoming.url, method: incoming.method, headers }, resolve);
  outgoing.on('error', () =>
    reject(
      new Error(
        'The service does not answer: it is restarting, or it failed to start. See the terminal of npm run dev.',
      ),
    ),
  );
  incoming.pipe(outgoing);
  const upstream = await promise;
  const status = upstream.statusCode ?? 502;
  if (!upstream.headers['content-type']?.startsWith('text/html')) {
    response.writeHead(status, upstream.headers);
    return pipeline(upstream, response);
  }
  const page = (await upstream.setEncoding('utf8').toArray()).join('');
  delete upstream.headers['content-length'];
  response.writeHead(status, { ...upstream.headers, 'cache-control': 'no-store' });
  response.end(page.replace('</head>', `<script src="${RELOAD_SCRIPT_PATH}" defer></script></head>`));
}
