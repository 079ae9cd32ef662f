/** Text in SVG images: escaped, without characters that XML forbids or that change the reading direction. */

const FORBIDDEN = /[\p{Cc}\p{Cs}\u200e\u200f\u202a-\u202e\u2066-\u2069\ufffe\uffff]/gu;

export function escapeSvgText(text: string): string {
  return text.replace(FORBIDDEN, '\ufffd').replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Returns the text, or its first and last `ends` characters around an ellipsis when it is longer. */
export function shorten(text: string, ends: number): string {
  return text.length <= 2 * ends + 1 ? text : `${text.slice(0, ends)}…${text.slice(-ends)}`;
}
