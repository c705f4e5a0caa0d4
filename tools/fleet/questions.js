/** The questions to a fleet's history, and whether an answer holds the truth. */
import { MICROS, routeName } from './hosts.js';
import { METRIC } from './requests.js';

/** @import { Truth } from './hosts.js' */

/** @typedef {{ lower: number, upper: number }} Bounds In seconds. */

/**
 * A line of an answer: of a route, or of all of them.
 *
 * @typedef {{ route: string | undefined, count: number, mean: Bounds, max: Bounds, percentiles: Bounds[] }} Line
 */

const TENTHS = [500, 990, 999];

/** @param {readonly string[]} by */
export function questionOf(by) {
  return { metric: METRIC, percentiles: TENTHS.map((tenths) => tenths / 10), by };
}

/**
 * The lines of an engine's answer to `historySql`.
 *
 * @param {readonly Record<string, unknown>[]} rows
 * @returns {Line[]}
 */
export function readLines(rows) {
  return rows.map((row) => {
    const numberOf = (/** @type {string} */ name) => Number(row[name] ?? Number.POSITIVE_INFINITY);
    const boundsOf = (/** @type {string} */ lower, /** @type {string} */ upper) => ({
      lower: numberOf(lower),
      upper: numberOf(upper),
    });
    const count = numberOf('count');
    const sum = boundsOf('sum_lower', 'sum_upper');
    return {
      route: /** @type {string | undefined} */ (row.group1 ?? undefined),
      count,
      mean: { lower: sum.lower / count, upper: sum.upper / count },
      max: boundsOf('max_lower', 'max'),
      percentiles: TENTHS.map((tenths) => {
        const name = `p${String(tenths / 10).replace('.', '_')}`;
        return boundsOf(`${name}_lower`, `${name}_upper`);
      }),
    };
  });
}

// Bounds are products of ticks and a scale, and true values quotients of microseconds.
const ROUNDING = 1e-9;

/**
 * Compares an answer with the truth.
 *
 * @param {readonly Line[]} lines
 * @param {Truth} truth
 * @param {boolean} isByRoute
 * @returns {string[]} A sentence for each difference.
 */
export function findDifferences(lines, truth, isByRoute) {
  const groups = isByRoute
    ? truth.counts.map((counts, route) => ({
        name: routeName(route),
        counts,
        sum: Number(truth.sums[route]),
      }))
    : [{ name: 'all', counts: together(truth.counts), sum: truth.sums.reduce((all, sum) => all + sum, 0) }];
  const counted = groups.filter(({ counts }) => counts.some((count) => count > 0));
  const problems = counted.flatMap(({ name, counts, sum }) => {
    const line = lines.find(({ route }) => !isByRoute || route === name);
    return line === undefined ? [`${name}: there is no answer`] : lineProblems(line, name, counts, sum);
  });
  if (lines.length !== counted.length)
    problems.push(`there are ${lines.length} lines and ${counted.length} groups`);
  return problems;
}

/** @param {Line} line @param {string} name @param {Float64Array} counts @param {number} sumMicros @returns {string[]} */
function lineProblems(line, name, counts, sumMicros) {
  const total = counts.reduce((all, count) => all + count, 0);
  const facts = [
    { what: 'the mean', bounds: line.mean, value: sumMicros / total / 1e6 },
    { what: 'the maximum', bounds: line.max, value: valueAt(counts, total) },
    ...TENTHS.map((tenths, i) => ({
      what: `p${tenths / 10}`,
      bounds: line.percentiles[i],
      value: valueAt(counts, Number((BigInt(tenths) * BigInt(total) + 999n) / 1000n)),
    })),
  ];
  const problems = facts.flatMap(({ what, bounds, value }) => {
    const isWithin =
      bounds !== undefined &&
      bounds.lower <= value * (1 + ROUNDING) &&
      value * (1 - ROUNDING) <= bounds.upper;
    return isWithin
      ? []
      : [`${name}: ${what} is ${value}, and the answer has ${bounds?.lower} to ${bounds?.upper}`];
  });
  return line.count === total
    ? problems
    : [`${name}: ${total} values were sent, and the answer has ${line.count}`, ...problems];
}

/** The value of a rank, from 1, in seconds. @param {Float64Array} counts @param {number} rank */
function valueAt(counts, rank) {
  let upTo = 0;
  const entry = counts.findIndex((count) => {
    upTo += count;
    return upTo >= rank;
  });
  return Number(MICROS[entry]) / 1e6;
}

/** @param {readonly Float64Array[]} lists */
function together(lists) {
  const all = new Float64Array(MICROS.length);
  for (const counts of lists)
    for (const [entry, count] of counts.entries()) all[entry] = Number(all[entry]) + count;
  return all;
}
