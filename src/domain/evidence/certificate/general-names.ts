/** General names of locations and authorities in extensions (RFC 5280, 4.2.1.6: GeneralName). */
import {
  contextConstructed,
  contextPrimitive,
  DerInvalid,
  isAscii,
  isObjectIdentifier,
  requireDer,
  toLatin1,
  type DerElement,
} from './der.ts';
import { DerFields, readList } from './der-fields.ts';
import { readName } from './distinguished-name.ts';

/** `other`: a form that the profile does not use. */
export type GeneralName =
  | { readonly form: 'uri'; readonly text: string }
  | { readonly form: 'directory'; readonly name: Uint8Array }
  | { readonly form: 'other' };

const OTHER_NAME = contextConstructed(0);
const RFC822_NAME = contextPrimitive(1);
const DNS_NAME = contextPrimitive(2);
const X400_ADDRESS = contextConstructed(3);
const DIRECTORY_NAME = contextConstructed(4);
const EDI_PARTY_NAME = contextConstructed(5);
const URI = contextPrimitive(6);
const IP_ADDRESS = contextPrimitive(7);
const REGISTERED_ID = contextPrimitive(8);

const OTHER: GeneralName = { form: 'other' };

/** Reads a list of at least one name. Throws `DerInvalid`. */
export function readGeneralNames(element: DerElement): readonly GeneralName[] {
  return readList(element, readGeneralName);
}

/** Reads one name. Throws `DerInvalid`. */
export function readGeneralName(element: DerElement): GeneralName {
  switch (element.tag) {
    case URI:
      return { form: 'uri', text: requireAscii(element.content) };
    case DIRECTORY_NAME: {
      const explicit = new DerFields(element.children);
      const name = readName(explicit.takeAny());
      explicit.finish();
      return { form: 'directory', name };
    }
    case RFC822_NAME:
    case DNS_NAME:
      requireAscii(element.content);
      return OTHER;
    case REGISTERED_ID:
      requireDer(isObjectIdentifier(element.content));
      return OTHER;
    case OTHER_NAME: {
      const fields = new DerFields(element.children);
      fields.objectIdentifier();
      fields.take(contextConstructed(0));
      fields.finish();
      return OTHER;
    }
    case X400_ADDRESS:
    case EDI_PARTY_NAME:
    case IP_ADDRESS:
      return OTHER;
    default:
      throw new DerInvalid();
  }
}

function requireAscii(content: Uint8Array): string {
  requireDer(isAscii(content));
  return toLatin1(content);
}
