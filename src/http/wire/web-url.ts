/** Check of URLs that others publish, before a client may open them. */
import { MAX_URL_LENGTH } from '../../domain/machine/service-directory.ts';

/** Returns whether the text is an HTTP URL of at most 2,048 characters. */
export function isWebUrl(text: string): boolean {
  return text.length <= MAX_URL_LENGTH && /^https?:\/\//i.test(text) && URL.canParse(text);
}
