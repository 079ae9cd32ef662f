/**
 * `svc mcp`: Model Context Protocol server for language models, over standard input and output. Read-only: the tools of `../mcp/tools.ts`
 * receive the reads of the client and nothing else.
 */
import { createInterface } from 'node:readline';
import { BASE_URL_OPTION, defineCommand, ENV_FILE_OPTION } from '../command.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import { DEFAULT_BASE_URL } from '../http-reads.ts';
import { createMcpServer, listTools } from '../mcp/server.ts';
import { formatJson } from '../output.ts';
import { openClient } from '../service-client.ts';

export const mcp = defineCommand({
  name: 'mcp',
  about: 'Runs a Model Context Protocol server on standard input and output, for language models. Read-only.',
  operands: [],
  options: {
    'base-url': BASE_URL_OPTION,
    'env-file': ENV_FILE_OPTION,
    json: { type: 'boolean', about: 'print the tools as JSON and exit' },
  },
  example: 'svc mcp --base-url https://ratings.example',
  async run({ 'base-url': baseUrl = DEFAULT_BASE_URL, 'env-file': envFile, json = false }) {
    const client = openClient(baseUrl, envFile);
    if (json) {
      process.stdout.write(formatJson(listTools()));
      return EXIT_CODES.ok;
    }
    if (process.stdin.isTTY) {
      process.stderr.write(
        'waiting for JSON-RPC messages, one per line; usually started by a language model client. Press Ctrl-D to stop\n',
      );
    }
    const server = createMcpServer(client);
    const pending = new Set<Promise<void>>();
    for await (const line of createInterface({ input: process.stdin })) {
      if (line.trim() === '') continue;
      const handled = server.handle(line).then((response) => {
        if (response !== undefined) process.stdout.write(`${response}\n`);
        pending.delete(handled);
      });
      pending.add(handled);
    }
    await Promise.all(pending);
    return EXIT_CODES.ok;
  },
});
