/** `svc mcp`: the service for language models, over standard input and output, read-only. */
import { createInterface } from 'node:readline';
import { BASE_URL_OPTION, defineCommand, ENV_FILE_OPTION } from '../command.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import { DEFAULT_BASE_URL } from '../http-reads.ts';
import { createMcpServer, listTools } from '../mcp/server.ts';
import { openClient } from '../service-client.ts';

export const mcp = defineCommand({
  name: 'mcp',
  about: 'Lets a language model read the service: a Model Context Protocol server on standard input and output.',
  operands: [],
  options: {
    'base-url': BASE_URL_OPTION,
    'env-file': ENV_FILE_OPTION,
    json: { type: 'boolean', about: 'only print the tools as JSON' },
  },
  example: 'svc mcp --base-url https://ratings.example',
  async run({ 'base-url': baseUrl = DEFAULT_BASE_URL, 'env-file': envFile, json = false }) {
    const client = openClient(baseUrl, envFile);
    if (json) {
      process.stdout.write(`${JSON.stringify(listTools(), null, 2)}\n`);
      return EXIT_CODES.ok;
    }
    if (process.stdin.isTTY) {
      process.stderr.write(
        'waiting for JSON-RPC, one message a line; programs of language models start this. Ctrl-D ends it\n',
      );
    }
    const server = createMcpServer(client);
    const pending = new Set<Promise<void>>();
    for await (const line of createInterface({ input: process.stdin })) {
      if (line.trim() === '') continue;
      const answered = server.answer(line).then((answer) => {
        if (answer !== undefined) process.stdout.write(`${answer}\n`);
        pending.delete(answered);
      });
      pending.add(answered);
    }
    await Promise.all(pending);
    return EXIT_CODES.ok;
  },
});
