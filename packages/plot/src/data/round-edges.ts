// Leaves room for the numbers above the plot on a small terminal.
const MOST_BARS = 16;
/** A distribution fits on a linear axis when its largest value is at most this multiple of its median. */
const LINEAR_UP_TO = 10;

/** The facts of a distribution that decide its edges. */
interface Spread {
  /** The smallest value above 0; `Infinity` when all values are 0. */
  readonly smallest: number;
  readonly median: number;
  readonly largest: number;
}

/**
 * The edges of bars: ascending round numbers, from at most the smallest value to above the largest. Compact distributions
 * get equal steps, others equal factors with 0 below them.
 */
export function roundEdges({ smallest, median, largest }: Spread, hasZeros: boolean): number[] {
  if (largest === 0) return [0, 1];
  const edges =
    largest <= LINEAR_UP_TO * median
      ? linearEdges(hasZeros ? 0 : smallest, largest)
      : logarithmicEdges(smallest, largest);
  return hasZeros && edges[0] !== 0 ? [0, ...edges] : edges;
}

function linearEdges(smallest: number, largest: number): number[] {
  // A bar with a single value still has a width.
  const step = roundStep(Math.max((largest - smallest) / 10, largest / 100));
  const first = Math.floor(smallest / step);
  const last = Math.floor(largest / step) + 1;
  return Array.from({ length: last - first + 1 }, (_, at) => asMeant((first + at) * step));
}

/** The next of 1, 2 and 5, times a power of ten. */
function roundStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= least * 0.999) ?? 10 * power;
}

const FACTORS: readonly (readonly number[])[] = [
  [1, 1.5, 2, 3, 4, 5, 7],
  [1, 2, 3, 5],
  [1, 2, 5],
  [1, 3],
  [1],
];

function logarithmicEdges(smallest: number, largest: number): number[] {
  const [from, to] = [Math.floor(Math.log10(smallest)) - 1, Math.ceil(Math.log10(largest)) + 1];
  const powers = Array.from({ length: to - from + 1 }, (_, at) => from + at);
  const all = FACTORS.map((factors) => {
    const edges = powers.flatMap((power) => factors.map((factor) => asMeant(factor * 10 ** power)));
    const first = edges.findLastIndex((edge) => edge <= smallest);
    const last = edges.findIndex((edge) => edge > largest);
    return edges.slice(first, last + 1);
  });
  return all.find(({ length }) => length <= MOST_BARS + 1) ?? all.at(-1)!;
}

/** Removes rounding errors: 3 * 0.1 is 0.30000000000000004. */
function asMeant(value: number): number {
  return Number(value.toPrecision(12));
}
