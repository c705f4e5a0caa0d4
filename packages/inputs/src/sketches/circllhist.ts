import { HdrscopeError } from '@hdrscope/core';
import { assertText } from '@hdrscope/core/internal';
import { asArray, asCount, asFinite, asObject, asText, Budget, isObject, parseJson } from '@hdrscope/kit';
import { type CountedRange, countRanges, type NamedSketch } from './sketch.ts';

// The answer of Envoy's admin to /stats?format=json&histogram_buckets=detailed, and to histogram_buckets=combined.
// Source: https://www.envoyproxy.io/docs/envoy/latest/operations/admin#get--stats, and `StatsJsonRender` of Envoy.
//
// The bins of circllhist have two decimal digits: [m, m + 1) times a power of ten, for m from 10 to 99. One more bin has what is
// nearer to 0 than 1e-128. Source: https://github.com/openhistogram/libcircllhist
const LEAST = 1e-128;
const LIMITS = { elements: 2_000_000, depth: 12 };

/**
 * Reads the histograms of Envoy: all values since its start, by name. Names without values are left out.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when `text` is no text; `ERR_DECODE` when the text is not such an answer, or has a bin that circllhist does not have; `ERR_TOO_LARGE` when it
 *   has more than two million elements.
 * @example
 * ```ts
 * import { readEnvoyStats } from '@hdrscope/inputs/sketches';
 *
 * const totals = '[{"lower_bound":21,"width":1,"count":3},{"lower_bound":300,"width":10,"count":1}]';
 * const details = `[{"name":"cluster.a.upstream_rq_time","totals":${totals},"intervals":[],"percentiles":[]}]`;
 * const [histogram] = readEnvoyStats(`{"stats":[{"histograms":{"supported_percentiles":[],"details":${details}}}]}`);
 * [histogram?.name, histogram?.counted.counts.total]; //=> ['cluster.a.upstream_rq_time', 4]
 * ```
 */
export function readEnvoyStats(text: string): readonly NamedSketch[] {
  assertText('the text', text);
  const document = asObject(parseJson(text, 'the text', new Budget('the text', LIMITS)), 'the answer');
  const found: NamedSketch[] = [];
  for (const [at, stat] of asArray(document.stats, 'stats').entries()) {
    if (!isObject(stat) || stat.histograms === undefined) continue;
    const where = `stats[${at}].histograms`;
    const list = isObject(stat.histograms) ? stat.histograms.details : stat.histograms;
    if (list === undefined) {
      throw new HdrscopeError(
        'ERR_DECODE',
        `${where} has quantiles without counts: ask for /stats?format=json&histogram_buckets=detailed`,
      );
    }
    for (const [i, one] of asArray(list, where).entries()) {
      const histogram = asObject(one, `${where}[${i}]`);
      const name = asText(histogram.name, `${where}[${i}].name`);
      const counted = countRanges(readBins(histogram.totals, `the totals of ${name}`), 'lower');
      if (counted.counts.total > 0) found.push({ name, attributes: {}, counted });
    }
  }
  return found;
}

function readBins(bins: unknown, where: string): CountedRange[] {
  if (bins === undefined) {
    throw new HdrscopeError('ERR_DECODE', `${where} are missing: ask for histogram_buckets=detailed`);
  }
  return asArray(bins, where)
    .map((bin, at) => {
      const [lower, width, count] = Array.isArray(bin)
        ? bin
        : [
            asObject(bin, `${where}[${at}]`).lower_bound,
            (bin as { width: unknown }).width,
            (bin as { count: unknown }).count,
          ];
      return readBin(
        asFinite(lower, `${where}[${at}]`),
        asFinite(width, `${where}[${at}]`),
        asCount(count, `${where}[${at}]`),
        where,
      );
    })
    .filter(({ count }) => count > 0);
}

/** The sum of a lower bound and a width is not the double nearest to the upper bound, so bounds are made of digits. */
function readBin(lower: number, width: number, count: number, where: string): CountedRange {
  if (lower === 0 && width === 0) return { lower: -LEAST, upper: LEAST, count };
  const exponent = Math.round(Math.log10(width));
  const digits = Math.round(Math.abs(lower) / width);
  const bound = (m: number): number => Number(`${m}e${exponent}`);
  const isBin = digits >= 10 && digits < 100 && near(bound(1), width) && near(bound(digits), Math.abs(lower));
  if (!isBin) {
    throw new HdrscopeError(
      'ERR_DECODE',
      `${where}: a bin of circllhist is from two digits to the next, and this one begins at ${lower} and is ${width} wide`,
    );
  }
  // A bin of negative values begins at the bound nearer to 0.
  return lower > 0
    ? { lower: bound(digits), upper: bound(digits + 1), count }
    : { lower: -bound(digits + 1), upper: -bound(digits), count };
}

/** Whether two numbers are equal but for the digits that a writer has left out. */
function near(a: number, b: number): boolean {
  return Math.abs(a - b) <= 1e-9 * a;
}
