import type { AnsweredSeries, Comparison } from '../compare-answers.ts';
import { CASE_LABEL } from './bind-query.ts';

/** Answers to equal questions differ in their last digits. */
const TOLERANCE = 1e-6;
/** What is left of equal numbers whose difference is asked for. */
const REST = 1e-9;

/**
 * Compares two results of which all values must be equal: the native histograms have the bounds of the classic buckets. Counts the values that
 * are numbers.
 */
export function compareResults(
  before: readonly AnsweredSeries[],
  after: readonly AnsweredSeries[],
): Comparison {
  const bounds = after.some(({ histograms }) => histograms.size > 0) ? listBounds(before) : undefined;
  const [classic, native] = [indexValues(before, bounds), indexValues(after, bounds)];
  let values = 0;
  for (const [key, value] of classic) {
    const other = native.get(key);
    if (other === undefined) return { values, difference: `${key} is not in the result any more` };
    if (!isEqual(value, other)) return { values, difference: `${key} is ${other}, and was ${value}` };
    if (!Number.isNaN(value)) values++;
  }
  const added = [...native.keys()].find((key) => !classic.has(key));
  return added === undefined ? { values } : { values, difference: `${added} is new in the result` };
}

function isEqual(one: number, other: number): boolean {
  if (Number.isNaN(one) || Number.isNaN(other)) return Number.isNaN(one) && Number.isNaN(other);
  if (one === other) return true;
  return Math.abs(one - other) <= Math.max(REST, TOLERANCE * Math.max(Math.abs(one), Math.abs(other)));
}

function listBounds(series: readonly AnsweredSeries[]): number[] {
  return [...new Set(series.flatMap(({ labels }) => readLe(labels) ?? []))];
}

function readLe(labels: ReadonlyMap<string, string>): number | undefined {
  const le = labels.get('le');
  return le === undefined ? undefined : Number(le.replace('Inf', 'Infinity'));
}

/**
 * All values by their labels and times.
 *
 * @param bounds Those of classic buckets, of which native histograms are made. `undefined` where there are no native ones.
 */
function indexValues(
  series: readonly AnsweredSeries[],
  bounds: readonly number[] | undefined,
): Map<string, number> {
  const values = new Map<string, number>();
  const add = (
    labels: ReadonlyMap<string, string>,
    le: string | undefined,
    timeSec: number,
    value: number,
  ): void => {
    const own = [...labels]
      .filter(([name]) => name !== '__name__' && name !== CASE_LABEL && name !== 'le')
      .sort();
    const shown = [...own, ...(le === undefined ? [] : [['le', le] as const])];
    const key = `{${shown.map(([name, text]) => `${name}=${JSON.stringify(text)}`).join(', ')}} at ${timeSec}`;
    // Names do not count, and without them two series may be alike.
    values.set(values.has(key) ? `${key} (again)` : key, value);
  };
  for (const { labels, numbers, histograms } of series) {
    const le = bounds === undefined ? labels.get('le') : readLe(labels)?.toString();
    for (const [timeSec, number] of numbers) add(labels, le, timeSec, number);
    for (const [timeSec, { buckets }] of histograms) {
      for (const bound of bounds ?? []) {
        const within = buckets.reduce(
          (total, { upper, count }) => (upper <= bound ? total + count : total),
          0,
        );
        add(labels, String(bound), timeSec, within);
      }
    }
  }
  return values;
}
