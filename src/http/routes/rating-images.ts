/** `GET /machines/{machine_id}/card.svg` and `badge.svg` (decisions 4): a machine's standing as a picture. What fails is JSON, as everywhere. */
import { getHistory } from '../../actions/machine-history.ts';
import { getRating } from '../../actions/machines.ts';
import { dayOf } from '../../domain/utc-day.ts';
import type { Ctx } from '../../ports/ctx.ts';
import { sendMedia } from '../answer.ts';
import { formatBadge } from '../images/rating-badge.ts';
import { formatCard } from '../images/rating-card.ts';
import { SVG_MEDIA } from '../images/svg-media.ts';
import { encodeText } from '../json-encoding.ts';
import type { RouteDescription } from '../openapi.ts';
import { requireMachineId } from '../parameters.ts';
import type { Routes } from '../route-table.ts';
import { MACHINE_ID } from '../schemas/json-schema.ts';
import { formatMachineName } from '../wire/machines.ts';

export function ratingImagesRoutes(routes: Routes, ctx: Ctx): void {
  if (ctx.additions === 'off') return;

  routes.get('/machines/:machine_id/card.svg', { surface: 'read', description: CARD }, async (exchange) => {
    const id = requireMachineId(exchange.parameter('machine_id'), 'machine_id');
    const { rated, days } = await getHistory(ctx, id);
    const { rating, inputs, snapshot } = rated;
    const { letter, score, summary, eventCount } = rating;
    const image = formatCard({
      ...{ id, name: formatMachineName(id), letter, score, summary, eventCount },
      isBonded: rating.bondStatus === 'bonded',
      scores: days.map((day) => day.score),
      today: dayOf(inputs.now),
    });
    sendMedia(exchange, encodeText(image), SVG_MEDIA, snapshot.block);
  });

  routes.get('/machines/:machine_id/badge.svg', { surface: 'read', description: BADGE }, async (exchange) => {
    const id = requireMachineId(exchange.parameter('machine_id'), 'machine_id');
    const { rating, snapshot } = await getRating(ctx, id);
    const image = formatBadge({ name: formatMachineName(id), letter: rating.letter, score: rating.score });
    sendMedia(exchange, encodeText(image), SVG_MEDIA, snapshot.block);
  });
}

const IMAGE = {
  parameters: { machine_id: MACHINE_ID },
  answers: { 200: 'SvgImage' },
  media: SVG_MEDIA,
  faults: [
    ...(['ParametersInvalid', 'MachineAbsent', 'MachineRelocating', 'MachineHomedElsewhere'] as const),
    ...(['EventIndexSyncing', 'ServiceNotInitialised', 'StoreUnavailable'] as const),
  ],
  caching: 'revalidated',
  block: 'always',
} as const;

const CARD: RouteDescription = {
  ...IMAGE,
  operationId: 'getCardImage',
  summary: 'The rating as a picture: letter, score, name, and the score of the last 90 days.',
};

const BADGE: RouteDescription = {
  ...IMAGE,
  operationId: 'getBadge',
  summary: 'The rating as a small badge.',
};
