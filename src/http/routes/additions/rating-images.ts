/** Rating images: `GET /machines/{machine_id}/card.svg`, `card.png` and `badge.svg` (decisions 4). Errors are JSON, as on every route. */
import { getHistory } from '../../../actions/machine-history.ts';
import { getRating } from '../../../actions/machines.ts';
import type { MachineId } from '../../../domain/identifiers/identifiers.ts';
import type { BlockRef } from '../../../domain/machine/machine-facts.ts';
import { dayOf } from '../../../domain/rating/utc-day.ts';
import type { Ctx } from '../../../ports/ctx.ts';
import { sendMedia, sendImage } from '../../server/response.ts';
import { PNG_MEDIA } from '../../images/png-media.ts';
import { formatBadge } from '../../images/rating-badge.ts';
import { formatCard } from '../../images/rating-card.ts';
import type { CardFacts } from '../../images/rating-facts.ts';
import { formatPreview, PREVIEW_SIZE } from '../../images/rating-preview.ts';
import { SVG_MEDIA } from '../../images/svg-media.ts';
import type { PreviewImage } from '../../pages/html-shell.ts';
import { encodeText, toEntityTag } from '../../server/json-encoding.ts';
import type { RouteDescription } from '../../schemas/openapi.ts';
import { RATING_FAULTS } from '../machine-faults.ts';
import { requireMachineId } from '../parameters.ts';
import type { Routes } from '../../server/route-table.ts';
import { MACHINE_ID } from '../../schemas/json-schema.ts';
import { formatMachineName } from '../../wire/machines.ts';

export function ratingImagesRoutes(routes: Routes, ctx: Ctx): void {
  routes.get('/machines/:machine_id/card.svg', { profile: 'read', description: CARD }, async (request) => {
    const id = requireMachineId(request.parameter('machine_id'), 'machine_id');
    const { facts, block } = await readCardFacts(ctx, id);
    sendMedia(request, encodeText(formatCard(facts)), SVG_MEDIA, block);
  });

  routes.get('/machines/:machine_id/badge.svg', { profile: 'read', description: BADGE }, async (request) => {
    const id = requireMachineId(request.parameter('machine_id'), 'machine_id');
    const { rating, snapshot } = await getRating(ctx, id);
    const image = formatBadge({ name: formatMachineName(id), letter: rating.letter, score: rating.score });
    sendMedia(request, encodeText(image), SVG_MEDIA, snapshot.block);
  });

  const { imageRenderer } = ctx;
  if (imageRenderer === undefined) return;
  routes.get('/machines/:machine_id/card.png', { profile: 'read', description: PREVIEW }, async (request) => {
    const id = requireMachineId(request.parameter('machine_id'), 'machine_id');
    const { facts, block } = await readCardFacts(ctx, id);
    const svg = formatPreview(facts);
    const etag = toEntityTag(`${imageRenderer.version}\n${svg}`);
    const make = () => imageRenderer.render(svg, () => request.isAwaited);
    await sendImage(request, { etag, make }, PNG_MEDIA, block);
  });
}

/** Returns the image for link previews of a machine's page; undefined when images are not rendered. */
export function previewImageOf(
  id: MachineId,
  text: string,
  { imageRenderer, publicUrl }: Ctx,
): PreviewImage | undefined {
  return imageRenderer && { url: `${publicUrl}/machines/${id}/card.png`, ...PREVIEW_SIZE, text };
}

async function readCardFacts(
  ctx: Ctx,
  id: MachineId,
): Promise<{ readonly facts: CardFacts; readonly block: BlockRef }> {
  const { rated, days } = await getHistory(ctx, id);
  const { rating, inputs, snapshot } = rated;
  const { letter, score, summary, eventCount } = rating;
  const facts = {
    ...{ id, name: formatMachineName(id), letter, score, summary, eventCount },
    isBonded: rating.bondStatus === 'bonded',
    scores: days.map((day) => day.score),
    today: dayOf(inputs.now),
  };
  return { facts, block: snapshot.block };
}

const IMAGE = {
  parameters: { machine_id: MACHINE_ID },
  responses: { 200: 'SvgImage' },
  media: SVG_MEDIA,
  faults: ['ParametersInvalid', ...RATING_FAULTS],
  caching: 'revalidated',
  block: 'always',
} as const;

const CARD: RouteDescription = {
  ...IMAGE,
  operationId: 'getCardImage',
  summary: 'Get the rating as an SVG card: letter, score, name, and the score of the last 90 days.',
};

const PREVIEW: RouteDescription = {
  ...IMAGE,
  operationId: 'getPreviewImage',
  summary: 'Get the rating as a PNG of 1200 x 630 pixels, for link previews.',
  responses: { 200: 'PngImage' },
  media: PNG_MEDIA,
};

const BADGE: RouteDescription = {
  ...IMAGE,
  operationId: 'getBadge',
  summary: 'Get the rating as a small SVG badge.',
};
