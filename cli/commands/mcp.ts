/**
 * `svc mcp`: Model Context Protocol server for language models, over standard input and output. Read-only: the tools of
 * `src/adapters/mcp/tools.ts` receive the reads of the client and nothing else.
 */
import { describeTools } from '../../src/adapters/mcp/tools.ts';
import { describeToolOutput } from '../../src/http/schemas/tool-outputs.ts';
import { defineCommand, SERVICE_OPTIONS } from '../command.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import { formatJson } from '../output.ts';
import { openClient } from '../service-client.ts';

export const mcp = defineCommand({
  name: 'mcp',
  about: 'Runs a Model Context Protocol server on standard input and output, for language models. Read-only.',
  operands: [],
  options: {
    ...SERVICE_OPTIONS,
    json: { type: 'boolean', about: 'print the tools as JSON and exit' },
  },
  example: 'svc mcp --base-url https://ratings.example',
  async run({ json = false, ...service }) {
    const client = openClient(service);
    const describeOutput = (response: string) => describeToolOutput(client.connection.namespace, response);
    if (json) {
      process.stdout.write(formatJson(describeTools(describeOutput)));
      return EXIT_CODES.ok;
    }
    if (process.stdin.isTTY) {
      process.stderr.write(
        'waiting for JSON-RPC messages, one per line; usually started by a language model client. Press Ctrl-D to stop\n',
      );
    }
    const [{ createMcpServers }, { createStdioTransport }, { serveStdio }] = await Promise.all([
      import('../../src/adapters/mcp/mcp-server.ts'),
      import('../mcp/stdio-transport.ts'),
      import('@modelcontextprotocol/server/stdio'),
    ]);
    const createServer = createMcpServers(describeOutput);
    const { transport, closed } = createStdioTransport(process.stdin);
    // Nothing here changes, so there is nothing to subscribe to.
    serveStdio(() => createServer(client), { transport, maxSubscriptions: 0 });
    await closed;
    return EXIT_CODES.ok;
  },
});
