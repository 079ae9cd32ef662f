/**
 * Namespace of a deployment, from `NAMESPACE_FILE`: a JSON object with keys of `Namespace` only; a missing key has its
 * default. Every word becomes part of bytes that are signed, compared or routed, so each has a rule.
 */
import { DEFAULT_NAMESPACE, type Namespace } from '../domain/identifiers/namespace.ts';

export type NamespaceReading =
  | { readonly namespace: Namespace; readonly problems?: never }
  | { readonly problems: readonly string[]; readonly namespace?: never };

interface Rule {
  readonly form: RegExp;
  readonly text: string;
}

const IDENTIFIER: Rule = {
  form: /^[\x21\x23-\x5b\x5d-\x7e]{1,128}$/,
  text: '1 to 128 visible ASCII characters without " and \\',
};
const LINE: Rule = {
  form: /^[\x21-\x7e]([\x20-\x7e]{0,126}[\x21-\x7e])?$/,
  text: 'one line of 1 to 128 printable ASCII characters',
};
const URI: Rule = {
  form: /^https?:\/\/[\x21\x23-\x5b\x5d-\x7e]{1,248}$/,
  text: 'an http or https URI of at most 256 ASCII characters',
};
const WELL_KNOWN: Rule = {
  form: /^\/\.well-known\/[A-Za-z0-9][A-Za-z0-9._~-]{0,63}$/,
  text: '/.well-known/ and one segment',
};

const RULES: Readonly<Record<keyof Namespace, Rule>> = {
  did_method: { form: /^[a-z0-9]{1,32}$/, text: '1 to 32 lower-case letters and digits' },
  // Must differ from the other members of the profile.
  profile_object: {
    form: /^(?!(?:schema_version|name|description|image|external_url|attributes)$)[a-z][A-Za-z0-9_-]{0,31}$/,
    text: 'a letter and at most 31 letters, digits, _ and -, and no other member of the profile',
  },
  registration_type: IDENTIFIER,
  card_description: LINE,
  well_known_path: WELL_KNOWN,
  message_header: LINE,
  payout_header: LINE,
  monetization_version: IDENTIFIER,
  verifier: IDENTIFIER,
  protocol: IDENTIFIER,
  controller_proof: IDENTIFIER,
  evidence_schema: IDENTIFIER,
  chip_profile: IDENTIFIER,
  trust_bundle: IDENTIFIER,
  receipt: IDENTIFIER,
  leaf_ca_issuers_uri: URI,
  leaf_crl_uri: URI,
  statement_name: LINE,
  statements_path: WELL_KNOWN,
};

const PRINTABLE_KEY = /^[A-Za-z0-9_.-]{1,64}$/;

/** Parses the words of a file's text, or returns all of its problems, none of which contains a word. */
export function parseNamespace(text: string): NamespaceReading {
  const words = parseObject(text);
  if (words === undefined) return { problems: ['must be a JSON object'] };
  const problems: string[] = [];
  for (const [key, word] of Object.entries(words)) {
    const rule = Object.hasOwn(RULES, key) ? RULES[key as keyof Namespace] : undefined;
    if (rule === undefined) problems.push(`${PRINTABLE_KEY.test(key) ? key : 'a key'} is not a word of the namespace`);
    else if (typeof word !== 'string' || !rule.form.test(word)) problems.push(`${key} must be ${rule.text}`);
  }
  const namespace: Namespace = { ...DEFAULT_NAMESPACE, ...words };
  if (namespace.statements_path === namespace.well_known_path) {
    problems.push('statements_path must not be well_known_path');
  }
  return problems.length > 0 ? { problems } : { namespace };
}

function parseObject(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
