/**
 * Characters that a terminal, a browser or an editor obeys instead of showing them: the control characters C0 and C1, separators
 * of lines, marks and overrides of the direction of writing (https://www.unicode.org/reports/tr9/), halves of surrogate pairs,
 * which no encoding can write, and the characters that XML forbids.
 */
const OBEYED =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to find.
  /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** How `visible` shows a text. */
export interface VisibleOptions {
  /** Whether line feeds and tabs stay, as in a text of several lines. @default false */
  readonly lines?: boolean;
}

/**
 * A foreign text as it may be shown: characters that would be obeyed are written as `\x1b` or `\u202e`.
 *
 * @example
 * ```ts
 * import { visible } from '@hdrscope/core/internal';
 *
 * visible('tag \u001b[31mred'); //=> 'tag \\x1b[31mred'
 * visible('two\nlines', { lines: true }); //=> 'two\nlines'
 * ```
 */
export function visible(text: string, { lines = false }: VisibleOptions = {}): string {
  return text.replace(OBEYED, (character) => {
    if (lines && (character === '\n' || character === '\t')) return character;
    const code = character.charCodeAt(0);
    return code < 0x100 ? `\\x${hex(code, 2)}` : `\\u${hex(code, 4)}`;
  });
}

function hex(code: number, digits: number): string {
  return code.toString(16).padStart(digits, '0');
}
