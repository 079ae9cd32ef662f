/** `GET /mcr/{did}/statement` and the published keys: ratings that are signed, and can be proven later (design/provable 1). */
import {
  getStatement,
  getStatementDirectory,
  type FormatExplanation,
  type IssuedStatement,
} from '../../../actions/statement.ts';
import { chain } from '../../../actions/maybe-async.ts';
import { Fault } from '../../../domain/faults.ts';
import type { Namespace } from '../../../domain/identifiers/namespace.ts';
import type { JsonTree } from '../../../domain/json/canonical-json.ts';
import type { Ctx } from '../../../ports/ctx.ts';
import { machineDid } from '../../schemas/json-schema.ts';
import type { RouteDescription } from '../../schemas/openapi.ts';
import { createCachedEncoder, encodeJson } from '../../server/json-encoding.ts';
import { sendCacheableJson } from '../../server/response.ts';
import type { Routes } from '../../server/route-table.ts';
import { toExplanation } from '../../wire/machines.ts';
import { toStatementDirectory } from '../../wire/statements.ts';
import { RATING_FAULTS } from '../machine-faults.ts';
import { requireMachineDid } from '../parameters.ts';

/** Without a key there are no statements; keys that signed before stay published. */
export function statementsRoutes(routes: Routes, ctx: Ctx): void {
  const { namespace, statements } = ctx;
  const describe = describeRoutes(namespace);
  const encode = createCachedEncoder(({ document }: IssuedStatement) => document);
  const format = createExplanationFormat(namespace);

  routes.get(namespace.statements_path, { profile: 'read', description: describe.directory }, async (request) => {
    sendCacheableJson(request, encodeJson(toStatementDirectory(await getStatementDirectory(ctx))));
  });

  routes.get('/mcr/:did/statement', { profile: 'read', description: describe.statement }, (request) => {
    if (statements === undefined) throw new Fault('RouteUnknown', {});
    const id = requireMachineDid(request.parameter('did'), namespace);
    return chain(getStatement(ctx, statements, id, format), (issued) =>
      sendCacheableJson(request, encode(issued), issued.block),
    );
  });
}

/** Creates the function that turns an explanation into the JSON of its route, whose hash a statement has. */
export function createExplanationFormat(namespace: Namespace): FormatExplanation {
  return (explanation) => JSON.parse(encodeJson(toExplanation(explanation, namespace)).text) as JsonTree;
}

function describeRoutes(namespace: Namespace) {
  return {
    directory: {
      operationId: 'getStatementKeys',
      summary: 'Get every key that signs or ever signed rating statements, with their domain and types.',
      group: 'Statements',
      responses: { 200: 'StatementDirectory' },
      faults: ['ServiceNotInitialised', 'StoreUnavailable'],
      caching: 'revalidated',
      block: 'never',
    },
    statement: {
      operationId: 'getStatement',
      summary:
        "Get a machine's rating at the newest finalized block as signed EIP-712 typed data; 404 without a statement key.",
      group: 'Statements',
      parameters: { did: machineDid(namespace) },
      responses: { 200: 'Statement' },
      faults: ['RouteUnknown', 'MachineDidMalformed', 'StatementUnavailable', ...RATING_FAULTS],
      caching: 'revalidated',
      block: 'always',
    },
  } satisfies Record<string, RouteDescription>;
}
