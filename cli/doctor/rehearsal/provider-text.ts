/** A provider's own error text as `svc doctor` may print it: one short line without URLs and without the node's key. */
import { decodeSafely } from '../../percent-decoding.ts';

const MAX_CHARACTERS = 200;
/** Parts of a URL that are shorter cannot be a key. */
const MIN_SECRET_CHARACTERS = 8;

const URL_TEXT = /[a-z][a-z0-9+.-]*:\/\/\S*/gi;
const HOST_TEXT = /\b(?:[a-z0-9-]+\.)+[a-z]{2,}\b\S*/gi;
const CONTROL_TEXT = /[\p{C}\p{Z}]+/gu;

/** Returns the text without URLs, host names, control characters and anything that the URL of the node contains. */
export function cutProviderText(text: string, nodeUrl: string): string {
  let clean = text.slice(0, 20 * MAX_CHARACTERS);
  for (const secret of listSecrets(nodeUrl)) clean = clean.replaceAll(secret, '…');
  clean = clean.replace(URL_TEXT, '…').replace(HOST_TEXT, '…').replace(CONTROL_TEXT, ' ').trim();
  return clean.length > MAX_CHARACTERS ? `${clean.slice(0, MAX_CHARACTERS - 1)}…` : clean;
}

/** Lists credentials, segments of the path and values of the query that are long enough to be a key. */
function listSecrets(nodeUrl: string): string[] {
  const { username, password, pathname, searchParams } = new URL(nodeUrl);
  const parts = [username, password, ...pathname.split('/'), ...searchParams.values()];
  return parts
    .flatMap((part) => [part, decodeSafely(part)])
    .filter((part) => part.length >= MIN_SECRET_CHARACTERS)
    .sort((one, other) => other.length - one.length);
}
