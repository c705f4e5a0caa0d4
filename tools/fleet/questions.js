/** The questions to a fleet's history, and whether an answer holds the truth. */
import { MICROS, routeName, Truth } from './hosts.js';
import { METRIC } from './requests.js';

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
 * @param {Truth} risk Those of the values that may be missing.
 * @returns {string[]} A sentence for each difference.
 */
export function findDifferences(lines, truth, isByRoute, risk = new Truth(truth.counts.length)) {
  const groups = isByRoute
    ? truth.counts.map((_, route) => ({ name: routeName(route), routes: [route] }))
    : [{ name: 'all', routes: [...truth.counts.keys()] }];
  const counted = groups
    .map(({ name, routes }) => ({ name, sent: addRoutes(truth, routes), risk: addRoutes(risk, routes) }))
    .filter(({ sent }) => sent.total > 0);
  const problems = counted.flatMap(({ name, ...group }) => {
    const line = lines.find(({ route }) => !isByRoute || route === name);
    return line === undefined ? [`${name}: there is no answer`] : lineProblems(line, name, group);
  });
  if (lines.length !== counted.length)
    problems.push(`there are ${lines.length} lines and ${counted.length} groups`);
  return problems;
}

/**
 * The values of some routes.
 *
 * @typedef {{ counts: Float64Array, total: number, sum: number }} Group `sum` is in seconds.
 * @param {Truth} truth @param {readonly number[]} routes
 * @returns {Group}
 */
function addRoutes(truth, routes) {
  const counts = new Float64Array(MICROS.length);
  let sum = 0;
  for (const route of routes) {
    sum += Number(truth.sums[route]) / 1e6;
    for (const [entry, count] of /** @type {Float64Array} */ (truth.counts[route]).entries())
      counts[entry] = Number(counts[entry]) + count;
  }
  return { counts, total: counts.reduce((all, count) => all + count, 0), sum };
}

/** @param {Line} line @param {string} name @param {{ sent: Group, risk: Group }} group @returns {string[]} */
function lineProblems(line, name, { sent, risk }) {
  const least = sent.total - risk.total;
  const facts = [
    {
      what: 'the mean',
      bounds: line.mean,
      truth: { lower: (sent.sum - risk.sum) / sent.total, upper: sent.sum / least },
    },
    { what: 'the maximum', bounds: line.max, truth: valueAt(sent, risk, 1000) },
    ...TENTHS.map((tenths, i) => ({
      what: `p${tenths / 10}`,
      bounds: line.percentiles[i],
      truth: valueAt(sent, risk, tenths),
    })),
  ];
  const problems = facts.flatMap(({ what, bounds, truth: { lower, upper } }) => {
    const isWithin =
      bounds !== undefined &&
      bounds.lower <= upper * (1 + ROUNDING) &&
      lower * (1 - ROUNDING) <= bounds.upper;
    const truth = lower === upper ? lower : `${lower} to ${upper}`;
    return isWithin
      ? []
      : [`${name}: ${what} is ${truth}, and the answer has ${bounds?.lower} to ${bounds?.upper}`];
  });
  return line.count >= least && line.count <= sent.total
    ? problems
    : [`${name}: ${sent.total} values were sent, and the answer has ${line.count}`, ...problems];
}

/**
 * The bounds of a quantile, in seconds, of values of which some may be missing: it is lowest without the larger ones of these, and highest
 * without the smaller ones.
 *
 * @param {Group} sent @param {Group} risk @param {number} tenths
 * @returns {Bounds}
 */
function valueAt(sent, risk, tenths) {
  const isReached = (/** @type {number} */ upTo, /** @type {number} */ total) =>
    upTo > 0 && BigInt(upTo) * 1000n >= BigInt(tenths) * BigInt(total);
  let [upTo, missing] = [0, 0];
  let [lower, upper] = [-1, -1];
  for (const [entry, count] of sent.counts.entries()) {
    upTo += count;
    missing += Number(risk.counts[entry]);
    if (lower < 0 && isReached(upTo, sent.total - (risk.total - missing))) lower = entry;
    if (upper < 0 && isReached(upTo - missing, sent.total - missing)) upper = entry;
  }
  return { lower: Number(MICROS[lower]) / 1e6, upper: Number(MICROS[upper]) / 1e6 };
}
