/** Media type and headers of PNG images. */
import type { Media } from './svg-media.ts';

export const PNG_MEDIA: Media = { type: 'image/png', headers: { 'X-Content-Type-Options': 'nosniff' } };
