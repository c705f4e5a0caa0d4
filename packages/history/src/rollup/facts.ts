import { parsedRanges, prefixOf, type RowRanges, type SequenceRange } from '../parquet/row-ranges.ts';

/** The key of a file's metadata that says what its rows are the sums of. */
export const ROLLUP_KEY = 'hdrscope.history.rollup';

/** What a file of a rollup is made of. */
export interface RollupFacts {
  /** A hash of the files that were read and of the time up to which they were. */
  readonly source: string;
  /** How many rows were added up. */
  readonly rows: number;
  /** Their producers and sequences; `undefined` when there were too many producers. */
  readonly ranges: RowRanges['ranges'] | undefined;
}

/** Facts as metadata have them. */
export function factsText(source: string, rows: number, rangesText: string | undefined): string {
  return JSON.stringify({
    source,
    rows,
    ranges: rangesText === undefined ? null : JSON.parse(rangesText).ranges,
  });
}

/** @returns `undefined` when there are no facts. */
export function parsedFacts(text: string | undefined): RollupFacts | undefined {
  try {
    const { source, rows, ranges } = JSON.parse(text ?? '') as RollupFacts;
    return { source, rows, ranges: parsedRanges(JSON.stringify({ rows, ranges }), rows)?.ranges };
  } catch {
    return undefined;
  }
}

/** Whether a source certainly lacks rows that an earlier rollup has: rows were removed from it, or it is another history. */
export function lacksRows(now: RollupFacts, earlier: RollupFacts): boolean {
  if (now.rows < earlier.rows) return true;
  const { ranges } = now;
  if (ranges === undefined || earlier.ranges === undefined) return false;
  return !earlier.ranges.every((range) => ranges.some((one) => contains(one, range)));
}

function contains(outer: SequenceRange, inner: SequenceRange): boolean {
  if (inner.isPrefix && !outer.isPrefix) return false;
  const isWider = outer.isPrefix && !inner.isPrefix;
  const producer = isWider ? prefixOf(inner.producer) : inner.producer;
  return outer.producer === producer && outer.first <= inner.first && outer.last >= inner.last;
}
