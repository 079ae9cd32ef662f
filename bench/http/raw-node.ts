/** Raw node:http peer of the hot reads: one fixed body with the headers of a read, no parsing. Arguments: port, body file. */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

const [port, bodyFile] = process.argv.slice(2);
const body = readFileSync(bodyFile!);
const headers = { 'content-type': 'application/json; charset=utf-8', 'content-length': body.length };

createServer((_request, response) => response.writeHead(200, headers).end(body)).listen(Number(port), '127.0.0.1');
