/**
 * Layout of ABI data. Offsets may point anywhere, so that a short result can name the same bytes many times and fill
 * the memory when it is decoded. Compilers encode every component once: all of them together fit into the data.
 */
import type { AbiParameter } from 'viem';

/** A `tuple` has dynamic parts; one without them is `static`. */
export type AbiLayout =
  | { readonly kind: 'static'; readonly bytes: number }
  | { readonly kind: 'bytes' }
  | { readonly kind: 'list'; readonly element: AbiLayout }
  | { readonly kind: 'tuple'; readonly members: readonly AbiLayout[] };

/** The components of the data exceed its length, or are outside of it. */
export class LayoutRefused extends Error {}

const WORD_BYTES = 32;
/** Numbers above 48 bits point outside of any data. */
const NUMBER_BYTES = 6;

/** Returns the layout of these values in order. */
export function toLayout(parameters: readonly AbiParameter[]): AbiLayout {
  return joinMembers(parameters.map(toMemberLayout));
}

function toMemberLayout(parameter: AbiParameter): AbiLayout {
  const { type } = parameter;
  const [, elementType, count] = /^(.*)\[(\d*)\]$/.exec(type) ?? [];
  if (elementType !== undefined) {
    const element = toMemberLayout({ ...parameter, type: elementType });
    return count === '' ? { kind: 'list', element } : joinMembers(Array<AbiLayout>(Number(count)).fill(element));
  }
  if ('components' in parameter) return toLayout(parameter.components);
  return type === 'bytes' || type === 'string' ? { kind: 'bytes' } : { kind: 'static', bytes: WORD_BYTES };
}

function joinMembers(members: readonly AbiLayout[]): AbiLayout {
  let bytes = 0;
  for (const member of members) {
    if (member.kind !== 'static') return { kind: 'tuple', members };
    bytes += member.bytes;
  }
  return { kind: 'static', bytes };
}

/**
 * Throws `LayoutRefused` when the components that a decoder would read are together longer than the data, or outside of
 * it. Takes no longer than one pass over the data.
 */
export function requireLayout(layout: AbiLayout, data: Uint8Array): void {
  let left = data.length;

  function take(at: number, bytes: number): void {
    left -= bytes;
    if (left < 0 || at + bytes > data.length) throw new LayoutRefused();
  }

  function takeNumber(at: number): number {
    take(at, WORD_BYTES);
    const low = at + WORD_BYTES - NUMBER_BYTES;
    for (let place = at; place < low; place++) if (data[place] !== 0) throw new LayoutRefused();
    let value = 0;
    for (let place = low; place < at + WORD_BYTES; place++) value = value * 256 + data[place]!;
    return value;
  }

  /** Takes a member whose head is at `head` and whose offset counts from `base`; returns the end of the head. */
  function takeMember(member: AbiLayout, head: number, base: number): number {
    if (member.kind === 'static') {
      take(head, member.bytes);
      return head + member.bytes;
    }
    takeBody(member, base + takeNumber(head));
    return head + WORD_BYTES;
  }

  function takeBody(body: AbiLayout, at: number): void {
    if (body.kind === 'static') take(at, body.bytes);
    else if (body.kind === 'bytes') take(at + WORD_BYTES, takeNumber(at));
    else if (body.kind === 'tuple') {
      let head = at;
      for (const member of body.members) head = takeMember(member, head, at);
    } else {
      const count = takeNumber(at);
      const base = at + WORD_BYTES;
      if (body.element.kind === 'static') take(base, count * body.element.bytes);
      else for (let i = 0, head = base; i < count; i++) head = takeMember(body.element, head, base);
    }
  }

  takeBody(layout, 0);
}
