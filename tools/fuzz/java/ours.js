/** The steps of a program in `Histogram`. */

/** @import { Step } from './program.js' */

export const PERCENTILES = [-5, 0, 1e-10, 25, 50, 50.00000000000001, 75, 90, 99, 99.9, 99.999, 100, 150];
export const MOST_ROWS = 3000;

/**
 * Runs a step here.
 *
 * @param {any} core
 * @param {Record<string, any>} made The histograms by name.
 * @param {Step} step
 * @returns {unknown} The answer, for steps that ask only.
 */
export function runHere(core, made, [what, name, ...fields]) {
  const histogram = made[name];
  switch (what) {
    case 'record':
      for (const [value, count, interval] of fields[0]) {
        if (interval === 0) histogram.record(value, count);
        else histogram.recordCorrected(value, interval, count);
      }
      return undefined;
    case 'add':
      return histogram.add(made[fields[0]]);
    case 'subtract':
      return histogram.subtract(made[fields[0]]);
    case 'addWhileCorrecting':
      return histogram.addCorrected(made[fields[0]], fields[1]);
    case 'copyCorrected':
      made[name] = histogram.copyCorrected(fields[0]);
      return undefined;
    case 'copy':
      made[name] = histogram.copy();
      return undefined;
    case 'code':
      made[name] = core.Histogram.decode(histogram.toBase64(), { storage: histogram.storage });
      return undefined;
    case 'shiftLeft':
    case 'shiftRight':
      return histogram[what](fields[0]);
    case 'reset':
      return histogram.reset();
    case 'iterate':
      return [...stepsOf(histogram.exact, fields)].slice(0, MOST_ROWS).map(rowOf);
    case 'text':
      return core.formatPercentiles(histogram, {
        ticksPerHalfDistance: fields[0],
        valueScale: fields[1],
        format: fields[2] ? 'csv' : 'text',
      });
    default: {
      const [low, high] = fields;
      return [
        [low, histogram.countAt(low), histogram.percentileAtOrBelow(low)],
        [low, high, histogram.countBetween(low, high)],
      ];
    }
  }
}

/**
 * @param {any} histogram
 * @param {any[]} fields
 */
function stepsOf(histogram, [kind, first, base]) {
  switch (kind) {
    case 'recorded':
      return histogram.recordedValues();
    case 'percentiles':
      return histogram.percentiles(first);
    case 'linear':
      return histogram.linearValues(BigInt(first));
    default:
      return histogram.logarithmicValues(BigInt(first), base);
  }
}

/**
 * A row as Java states it: long integers as text.
 *
 * @param {any} step
 */
function rowOf(step) {
  return [
    step.valueIteratedTo,
    step.valueIteratedFrom,
    step.countAtValueIteratedTo,
    step.countAddedInThisIterationStep,
    step.totalCountToThisValue,
    step.totalValueToThisValue,
    step.percentile,
    step.percentileLevelIteratedTo,
  ].map((column) => {
    if (typeof column === 'number') return Number.isNaN(column) ? 'NaN' : column;
    return column <= Number.MAX_SAFE_INTEGER ? Number(column) : String(column);
  });
}

/** @param {any} histogram */
export function stateOf(histogram) {
  const { layout, totalCount, min, max, minNonZero, mean, standardDeviation } = histogram;
  return {
    totalCount,
    min,
    max: minNonZero === 0 ? 0 : max,
    minNonZero,
    mean,
    standardDeviation,
    highest: Number(layout.highestTrackableBigInt),
    slots: layout.slotCount,
    percentiles: histogram.valuesAtPercentiles(PERCENTILES),
    v2: Buffer.from(histogram.encode()).toString('hex'),
  };
}
