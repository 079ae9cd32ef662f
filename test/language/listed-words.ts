/** Words and phrases that the repository replaces by the field's terms, which docs/glossary.md lists. */

const LISTED =
  /\b(?:told|tells?|whoever|anew|nobody|believed|under way|taken over|dearest|bad days?|stands (?:on|in|for|beside)|goes on|lays?|wears|as many (?:\w+ ){0,3}as may be)\b/gi;

/** What continues a sentence on the next line: white space, and the mark of a comment or a quotation. */
const LINE_BREAK = /\n[ \t]*(?:\*(?!\/)|\/\/|>)?[ \t]*/g;

/** Returns the listed words of a text in order, each with its line; a phrase may continue on the next line. */
export function findListedWords(text: string): string[] {
  // A break becomes one character, so that a position counts the breaks before it.
  const flat = text.replaceAll(LINE_BREAK, '\n');
  return Array.from(flat.replaceAll('\n', ' ').matchAll(LISTED), ({ 0: word, index }) => {
    return `${flat.slice(0, index).split('\n').length}: ${word}`;
  });
}
