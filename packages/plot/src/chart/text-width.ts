/*
 * How wide texts are, without the fonts that draw them: the widths of DejaVu Sans, the widest of the fonts that `FONTS` names, so that a
 * text that fits by this measure fits in all of them.
 */

/** The advance widths of the characters from ' ' to '~', in hundredths of the font's size, rounded up. */
const ASCII = [
  ...[32, 41, 46, 84, 64, 96, 78, 28, 40, 40, 50, 84, 32, 37, 32, 34, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64],
  ...[
    34, 34, 84, 84, 84, 54, 100, 69, 69, 70, 78, 64, 58, 78, 76, 30, 30, 66, 56, 87, 75, 79, 61, 79, 70, 64,
  ],
  ...[62, 74, 69, 99, 69, 62, 69, 40, 34, 40, 84, 50, 50, 62, 64, 55, 64, 62, 36, 64, 64, 28, 28, 58, 28, 98],
  ...[64, 62, 64, 64, 42, 53, 40, 64, 60, 82, 60, 60, 53, 64, 34, 64, 84],
];
/** Letters beyond ASCII, and ideographs and pictures, in the same measure. */
const OTHER = 108;
const WIDE = 130;
const NO_BREAK = 0xa0;
/** How much wider a bold letter may be. */
const BOLD = 1.15;

/** How a text is drawn. */
export interface TextSize {
  /** The size of the font in pixels. @default 12 */
  readonly size?: number;
  /** @default false */
  readonly isBold?: boolean;
}

/** The width of a text in pixels, at least as large as it is drawn. */
export function textWidth(text: string, { size = 12, isBold = false }: TextSize = {}): number {
  let width = 0;
  for (const character of text) {
    const code = character.codePointAt(0)!;
    width += ASCII[(code === NO_BREAK ? 32 : code) - 32] ?? (code < 0x2e80 ? OTHER : WIDE);
  }
  return (width / 100) * size * (isBold ? BOLD : 1);
}

/** Measures a text, in pixels or in characters. */
export type Measure = (text: string) => number;

/** A text that fits into a width: its beginning, an ellipsis and its end. The ends of long names tell them apart. */
export function middleCut(text: string, width: number, measure: Measure = textWidth): string {
  if (measure(text) <= width) return text;
  const characters = [...text];
  const cutTo = (kept: number): string => {
    const end = Math.floor(kept / 2);
    return `${characters.slice(0, kept - end).join('')}…${characters.slice(characters.length - end).join('')}`;
  };
  // The largest number of characters that fit.
  let [kept, tooMany] = [0, characters.length];
  while (tooMany - kept > 1) {
    const middle = (kept + tooMany) >> 1;
    if (measure(cutTo(middle)) <= width) kept = middle;
    else tooMany = middle;
  }
  return kept > 0 ? cutTo(kept) : '…';
}

/**
 * Names that fit into a width. Names that would look alike keep the part in which they differ: `http…orders/4…200}`.
 *
 * @returns One for each name, in their order.
 */
export function distinctCuts(
  names: readonly string[],
  width: number,
  measure: Measure = textWidth,
): string[] {
  const cuts = names.map((name) => middleCut(name, width, measure));
  const namesOf = new Map<string, Set<string>>();
  for (const [i, cut] of cuts.entries()) {
    const alike = namesOf.get(cut) ?? new Set();
    namesOf.set(cut, alike.add(names[i]!));
  }
  return names.map((name, i) => {
    const alike = namesOf.get(cuts[i]!)!;
    if (alike.size === 1 || alike.size > MOST_ALIKE) return cuts[i]!;
    return cutAround(
      name,
      [...alike].filter((other) => other !== name),
      width,
      measure,
    );
  });
}

// Comparing each name with each other takes its time, and nobody compares so many.
const MOST_ALIKE = 100;

/** A name cut to the part that others do not have, with as much of its beginning and end as there is room for. */
function cutAround(name: string, others: readonly string[], width: number, measure: Measure): string {
  const characters = [...name];
  const differs = (other: string[], at: (list: string[], i: number) => string | undefined): number => {
    let i = 0;
    while (i < characters.length && at(characters, i) === at(other, i)) i++;
    return i;
  };
  let [same, end] = [characters.length, characters.length];
  for (const other of others.map((text) => [...text])) {
    same = Math.min(
      same,
      differs(other, (list, i) => list[i]),
    );
    end = Math.min(
      end,
      differs(other, (list, i) => list[list.length - 1 - i]),
    );
  }
  const until = Math.max(same + 1, characters.length - end);
  const part = characters.slice(same, until).join('');
  for (let kept = characters.length; kept >= 0; kept--) {
    // The part's own surroundings make it readable, then comes the beginning.
    const near = Math.min(same, Math.ceil(kept * 0.4));
    const head = Math.max(0, Math.min(same - near, kept - near));
    const before = `${characters.slice(0, head).join('')}${head + near < same ? '…' : ''}`;
    const after = until < characters.length ? '…' : '';
    const text = `${before}${characters.slice(same - near, same).join('')}${part}${after}`;
    if (measure(text) <= width) return text;
  }
  return middleCut(part, width, measure);
}

/** Where a line may end: after blanks and after the characters that separate the parts of names. */
const PARTS = /[^ /,;:._=-]*[ /,;:._=-]*/g;
/** The blank between a number and its unit, where no line ends. */
const BEFORE_UNIT = /(\d) (?=(?:[nµm]?s|min|h|d|%|[KMGT]?i?B)(?!\p{L}))/gu;

/**
 * A text in lines that fit into a width. Lines end after blanks and separators. A text that needs more than `most` lines is cut in
 * its middle.
 *
 * @param most At least 1.
 */
export function wrappedText(
  text: string,
  width: number,
  most: number,
  measure: Measure = textWidth,
): string[] {
  const lines = linesOf(text, width, measure);
  if (lines.length <= most) return lines;
  // Lines that break early leave room unused, so the text is cut until it fits.
  for (let room = most * width; room > width; room -= width / 8) {
    const cut = linesOf(middleCut(text, room, measure), width, measure);
    if (cut.length <= most) return cut;
  }
  return [middleCut(text, width, measure)];
}

function linesOf(text: string, width: number, measure: Measure = textWidth): string[] {
  const lines: string[] = [];
  let line = '';
  const joined = text.replace(BEFORE_UNIT, '$1\u00a0').replaceAll('≤ ', '≤\u00a0');
  for (const part of (joined.match(PARTS) ?? []).flatMap((one) => brokenPart(one, width, measure))) {
    if (line !== '' && measure((line + part).trimEnd()) > width) {
      lines.push(line.trimEnd());
      line = '';
    }
    line += line === '' ? part.trimStart() : part;
  }
  if (line.trimEnd() !== '' || lines.length === 0) lines.push(line.trimEnd());
  return lines.map((one) => one.replaceAll('\u00a0', ' '));
}

/** A part that is wider than a line, in pieces that are not. */
function brokenPart(part: string, width: number, measure: Measure = textWidth): string[] {
  if (measure(part.trimEnd()) <= width) return [part];
  const pieces: string[] = [];
  let piece = '';
  for (const character of part) {
    if (piece !== '' && measure(piece + character) > width) {
      pieces.push(piece);
      piece = '';
    }
    piece += character;
  }
  return [...pieces, piece];
}
