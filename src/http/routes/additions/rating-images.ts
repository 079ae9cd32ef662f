/** Rating images: `GET /machines/{machine_id}/card.svg`, `card.png` and `badge.svg` (decisions 4). Where there is no rating, the image says why. */
import { getHistory } from '../../../actions/machine-history.ts';
import { isBehind } from '../../../actions/machine-rating.ts';
import { getRating } from '../../../actions/machines.ts';
import { Fault, type FaultKind } from '../../../domain/faults.ts';
import { parseMachineId, type MachineId } from '../../../domain/identifiers/identifiers.ts';
import type { BlockRef } from '../../../domain/machine/machine-facts.ts';
import { dayOf } from '../../../domain/rating/utc-day.ts';
import type { Ctx } from '../../../ports/ctx.ts';
import { sendMedia, sendImage } from '../../server/response.ts';
import { createErrorImages, UNAVAILABLE } from '../../images/error-images.ts';
import { PNG_MEDIA } from '../../images/png-media.ts';
import { formatBadge, formatStateBadge } from '../../images/rating-badge.ts';
import { formatCard } from '../../images/rating-card.ts';
import { isRated, type CardFacts } from '../../images/rating-facts.ts';
import { formatPreview, PREVIEW_SIZE } from '../../images/rating-preview.ts';
import { formatStateCard } from '../../images/state-card.ts';
import { SVG_MEDIA } from '../../images/svg-media.ts';
import type { PreviewImage } from '../../pages/html-shell.ts';
import { encodeText, toEntityTag } from '../../server/json-encoding.ts';
import type { RouteDescription } from '../../schemas/openapi.ts';
import { requireMachineId } from '../parameters.ts';
import type { Routes } from '../../server/route-table.ts';
import { MACHINE_ID } from '../../schemas/json-schema.ts';
import { formatMachineName } from '../../wire/machines.ts';

const CARD_SIZE = { width: 480, height: 160 } as const;

/** They are sent before the id is parsed. Those of the PNG are SVG as well, because a refusal must cost less than a response. */
const UNNAMED = 'Machine';
const CARD_ERRORS = createErrorImages((state) => formatStateCard({ name: UNNAMED, state, ...CARD_SIZE }));
const PREVIEW_ERRORS = createErrorImages((state) => formatStateCard({ name: UNNAMED, state, ...PREVIEW_SIZE }));
const BADGE_ERRORS = createErrorImages((state) => formatStateBadge(UNNAMED, state));

export function ratingImagesRoutes(routes: Routes, ctx: Ctx): void {
  routes.get(
    '/machines/:machine_id/card.svg',
    { profile: 'read', description: CARD, errorImages: CARD_ERRORS },
    async (request) => {
      const { id, name } = readName(request.parameter('machine_id'));
      const { image, block } = await describeOrState(
        async () => {
          const shown = await readCardFacts(ctx, id());
          return shown && { image: formatCard(shown.facts), block: shown.block };
        },
        (state) => formatStateCard({ name, state, ...CARD_SIZE }),
      );
      sendMedia(request, encodeText(image), SVG_MEDIA, block);
    },
  );

  routes.get(
    '/machines/:machine_id/badge.svg',
    { profile: 'read', description: BADGE, errorImages: BADGE_ERRORS },
    async (request) => {
      const { id, name } = readName(request.parameter('machine_id'));
      const { image, block } = await describeOrState(
        async () => {
          const rated = await getRating(ctx, id());
          if (isBehind(rated)) return undefined;
          const { rating, snapshot } = rated;
          return { image: formatBadge({ name, letter: rating.letter, score: rating.score }), block: snapshot.block };
        },
        (state) => formatStateBadge(name, state),
      );
      sendMedia(request, encodeText(image), SVG_MEDIA, block);
    },
  );

  const { imageRenderer } = ctx;
  if (imageRenderer === undefined) return;
  routes.get(
    '/machines/:machine_id/card.png',
    { profile: 'read', description: PREVIEW, errorImages: PREVIEW_ERRORS },
    async (request) => {
      const { id, name } = readName(request.parameter('machine_id'));
      const { image: svg, block } = await describeOrState(
        async () => {
          const shown = await readCardFacts(ctx, id());
          return shown && { image: formatPreview(shown.facts), block: shown.block };
        },
        (state) => formatStateCard({ name, state, ...PREVIEW_SIZE }),
      );
      const etag = toEntityTag(`${imageRenderer.version}\n${svg}`);
      const make = () => imageRenderer.render(svg, () => request.isAwaited);
      await sendImage(request, { etag, make }, PNG_MEDIA, block);
    },
  );
}

/** Returns the name for an image, and the id, which throws `ParametersInvalid` where the text is none. */
function readName(text: string): { readonly name: string; readonly id: () => MachineId } {
  const id = parseMachineId(text);
  return {
    name: id === undefined ? UNNAMED : formatMachineName(id),
    id: () => requireMachineId(text, 'machine_id'),
  };
}

interface DescribedImage {
  readonly image: string;
  /** Undefined: the image shows no facts of a chain. */
  readonly block: BlockRef | undefined;
}

/** Returns the image of the rating, or one that says why there is none: an embedded image must not break. */
async function describeOrState(
  describe: () => Promise<DescribedImage | undefined>,
  formatState: (state: string) => string,
): Promise<DescribedImage> {
  try {
    return (await describe()) ?? { image: formatState(UNAVAILABLE), block: undefined };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { image: formatState(STATES[error.kind] ?? UNAVAILABLE), block: undefined };
  }
}

const STATES: Readonly<Partial<Record<FaultKind, string>>> = {
  ParametersInvalid: 'invalid id',
  MachineAbsent: 'not found',
  MachineHomedElsewhere: 'homed on another chain',
  MachineRelocating: 'relocating',
};

/** Returns the image for link previews of a machine's page; undefined when images are not rendered. */
export function previewImageOf(
  id: MachineId,
  text: string,
  { imageRenderer, publicUrl }: Ctx,
): PreviewImage | undefined {
  return imageRenderer && { url: `${publicUrl}/machines/${id}/card.png`, ...PREVIEW_SIZE, text };
}

/** Returns undefined while the events of the machine are not all indexed. */
async function readCardFacts(
  ctx: Ctx,
  id: MachineId,
): Promise<{ readonly facts: CardFacts; readonly block: BlockRef } | undefined> {
  const { rated, days } = await getHistory(ctx, id);
  if (isBehind(rated)) return undefined;
  const { rating, inputs, snapshot } = rated;
  const { letter, score, summary, eventCount } = rating;
  const facts = {
    ...{ id, name: formatMachineName(id), letter, score, summary, eventCount },
    subscription: inputs.subscriptionStatus,
    scores: days.map(({ letter, score }) => (isRated(letter) ? score : undefined)),
    today: dayOf(inputs.now),
  };
  return { facts, block: snapshot.block };
}

const IMAGE = {
  parameters: { machine_id: MACHINE_ID },
  responses: { 200: 'SvgImage' },
  media: SVG_MEDIA,
  faults: [],
  caching: 'revalidated',
  block: 'sometimes',
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
