/** Distinguished names of issuers and subjects (RFC 5280, 4.1.2.4). Names are compared as DER, so only their structure is checked. */
import { requireDer, TAG, type DerElement } from './der.ts';
import { fieldsOf, readList } from './der-fields.ts';

/** Tags of texts and of unique identifiers. OpenSSL accepts no other value in a name. */
const VALUE_TAGS: ReadonlySet<number> = new Set([
  TAG.bitString,
  TAG.utf8String,
  TAG.numericString,
  TAG.printableString,
  TAG.teletexString,
  TAG.ia5String,
  TAG.universalString,
  TAG.bmpString,
]);

/** Returns the DER of a name, which may be empty. Throws `DerInvalid`. */
export function readName(element: DerElement): Uint8Array {
  requireDer(element.tag === TAG.sequence);
  for (const part of element.children) {
    requireDer(part.tag === TAG.set);
    checkRelativeName(part);
  }
  return element.encoded;
}

/** Checks one part of a name: at least one typed value, in the order of their encodings, as in any set. Throws `DerInvalid`. */
export function checkRelativeName(element: DerElement): void {
  const values = readList(element, readTypedValue);
  requireDer(values.every((value, index) => index === 0 || Buffer.compare(values[index - 1]!, value) <= 0));
}

function readTypedValue(element: DerElement): Uint8Array {
  const fields = fieldsOf(element);
  fields.objectIdentifier();
  requireDer(VALUE_TAGS.has(fields.takeAny().tag));
  fields.finish();
  return element.encoded;
}
