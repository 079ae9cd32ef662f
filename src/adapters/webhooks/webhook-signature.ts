/** Signatures of webhooks (Standard Webhooks 1.0): HMAC-SHA256 over id, time and body, one for each secret of a receiver. */
import { createHmac } from 'node:crypto';

const PREFIX = 'whsec_';
const MIN_SECRET_BYTES = 24;
const MAX_SECRET_BYTES = 64;

/** Parses a secret, `whsec_` and base64 of 24 to 64 bytes; undefined for any other text. */
export function parseWebhookSecret(text: string): Buffer | undefined {
  if (!text.startsWith(PREFIX)) return undefined;
  const encoded = text.slice(PREFIX.length);
  const bytes = Buffer.from(encoded, 'base64');
  const isCanonical = bytes.toString('base64') === encoded;
  return isCanonical && bytes.length >= MIN_SECRET_BYTES && bytes.length <= MAX_SECRET_BYTES ? bytes : undefined;
}

/** Returns the value of the header `webhook-signature`. */
export function signWebhook(secrets: readonly Buffer[], id: string, unixSeconds: number, body: string): string {
  const content = `${id}.${unixSeconds}.${body}`;
  return secrets.map((secret) => `v1,${createHmac('sha256', secret).update(content).digest('base64')}`).join(' ');
}
