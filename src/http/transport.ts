/** How does the service speak HTTP/1.1? */
import { createServer, type RequestListener, type Server } from 'node:http';

export function createHttpServer(listener: RequestListener): Server {
  return createServer(listener);
}
