/** How does any text become text of an image? Never as markup, and without what XML forbids or what turns the reading direction. */

const FORBIDDEN = /[\p{Cc}\p{Cs}\u200e\u200f\u202a-\u202e\u2066-\u2069\ufffe\uffff]/gu;

export function escapeSvgText(text: string): string {
  return text.replace(FORBIDDEN, '\ufffd').replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** The text, or its beginning and its end around an ellipsis. */
export function shorten(text: string, ends: number): string {
  return text.length <= 2 * ends + 1 ? text : `${text.slice(0, ends)}…${text.slice(-ends)}`;
}
