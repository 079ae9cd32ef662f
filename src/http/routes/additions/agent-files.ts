/** `GET /machines/{machine_id}/agent-registration.json` and `/agent-feedback.json`: the files of ERC-8004 (decisions 4). */
import { getCard } from '../../../actions/machines.ts';
import { getStatement } from '../../../actions/statement.ts';
import { Fault } from '../../../domain/faults.ts';
import type { Ctx } from '../../../ports/ctx.ts';
import { MACHINE_ID } from '../../schemas/json-schema.ts';
import type { RouteDescription } from '../../schemas/openapi.ts';
import { encodeJson } from '../../server/json-encoding.ts';
import { sendCacheableJson } from '../../server/response.ts';
import type { Routes } from '../../server/route-table.ts';
import { toAgentFeedback, toAgentRegistration } from '../../wire/agent-files.ts';
import { RATING_FAULTS } from '../machine-faults.ts';
import { requireMachineId } from '../parameters.ts';
import { createExplanationFormat } from './statements.ts';

/** Feedback needs a statement key. */
export function agentFilesRoutes(routes: Routes, ctx: Ctx): void {
  const { statements } = ctx;
  const format = createExplanationFormat(ctx.namespace);

  routes.get(
    '/machines/:machine_id/agent-registration.json',
    { profile: 'read', description: REGISTRATION },
    async (request) => {
      const card = await getCard(ctx, requireMachineId(request.parameter('machine_id'), 'machine_id'));
      sendCacheableJson(request, encodeJson(toAgentRegistration(card, ctx)), card.block);
    },
  );

  routes.get(
    '/machines/:machine_id/agent-feedback.json',
    { profile: 'read', description: FEEDBACK },
    async (request) => {
      if (statements === undefined) throw new Fault('RouteUnknown', {});
      const id = requireMachineId(request.parameter('machine_id'), 'machine_id');
      const card = await getCard(ctx, id);
      const { document, block } = await getStatement(ctx, statements, id, format);
      const feedback = toAgentFeedback(document, card);
      if (feedback === undefined) throw new Fault('RouteUnknown', {});
      sendCacheableJson(request, encodeJson(feedback), block);
    },
  );
}

const SHARED = { parameters: { machine_id: MACHINE_ID }, caching: 'revalidated', block: 'always' } as const;

const REGISTRATION: RouteDescription = {
  ...SHARED,
  operationId: 'getAgentRegistration',
  summary: "Get a machine's ERC-8004 registration file.",
  responses: { 200: 'AgentRegistration' },
  faults: ['ParametersInvalid', ...RATING_FAULTS],
};

const FEEDBACK: RouteDescription = {
  ...SHARED,
  operationId: 'getAgentFeedback',
  summary: "Get a machine's signed rating as an ERC-8004 feedback file; 404 without a statement key or a score.",
  group: 'Statements',
  responses: { 200: 'AgentFeedback' },
  faults: ['RouteUnknown', 'ParametersInvalid', 'StatementUnavailable', ...RATING_FAULTS],
};
