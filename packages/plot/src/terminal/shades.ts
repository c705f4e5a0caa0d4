/** The look of cells whose count is in a range. */
export interface Shade {
  /** The smallest count of the range: above 0. */
  readonly from: number;
  /** Draws a number of characters. */
  readonly paint: (width: number) => string;
}

/** How cells are drawn. */
export interface ShadeOptions {
  readonly colours: boolean;
  readonly ascii: boolean;
}

type Colour = readonly [red: number, green: number, blue: number];

const CHARACTERS = '░▒▓█';
const ASCII_CHARACTERS = '.:+*#@';

// From dark to light, so that they differ for people who see no hues. The darkest differs from a black background.
const COLOURS: readonly Colour[] = [
  [58, 62, 150],
  [42, 98, 166],
  [30, 132, 160],
  [36, 162, 134],
  [98, 190, 96],
  [172, 212, 62],
  [252, 228, 48],
];

/**
 * The shades for counts from `least` to `most`. Each begins at the same multiple of the shade before, so that rare cells show
 * beside cells that were hit a million times. Integer counts have no shade whose range would hold no integer.
 */
export function shadesFor(least: number, most: number, { colours, ascii }: ShadeOptions): Shade[] {
  const paints = colours
    ? COLOURS.map(colouredPaint)
    : [...(ascii ? ASCII_CHARACTERS : CHARACTERS)].map(plainPaint);
  const starts = startsOf(least, most, paints.length);
  // The strongest shade is for the largest counts, also when there are few shades.
  return starts.map((from, i) => ({
    from,
    paint: paints[Math.ceil(((i + 1) * paints.length) / starts.length) - 1]!,
  }));
}

/** The shade of a count above 0. */
export function shadeOf(shades: readonly Shade[], count: number): Shade {
  return shades.findLast(({ from }) => count >= from) ?? shades[0]!;
}

function startsOf(least: number, most: number, steps: number): number[] {
  const areIntegers = Number.isInteger(least) && Number.isInteger(most);
  const starts = Array.from({ length: steps }, (_, i) => {
    const start = least * (most / least) ** (i / steps);
    return areIntegers ? Math.ceil(start) : start;
  });
  return [...new Set(starts)].filter((start) => start <= most);
}

function plainPaint(character: string): Shade['paint'] {
  return (width) => character.repeat(width);
}

function colouredPaint([red, green, blue]: Colour): Shade['paint'] {
  return (width) => `\u001b[48;2;${red};${green};${blue}m${' '.repeat(width)}\u001b[0m`;
}
