import type { Bounds } from '@hdrscope/core';
import { percentileName, Slices } from '@hdrscope/kit';
import { countedUnitOf } from '@hdrscope/plot';
import { boundsOfSlots } from '@hdrscope/registry/internal';
import { boundsText } from '../bounds-text.ts';
import { timeOf } from '../history/coarsening.ts';
import type { FamilyDefinition } from '../history/history.ts';
import type { ChangesMessage, MetricErrors, RowChange } from '../messages.ts';
import { WHY_PERCENTILES } from '../question.ts';
import type { ComparedTimes } from './baseline.ts';
import { findStart, readBeyond, readStretches } from './change-start.ts';
import { describeErrors, type ErrorTally, judgeErrors, startTally, tallyErrors } from './error-changes.ts';
import { labelOf } from './groups.ts';
import { largestWeight, type RankedFamily, type RankedRow, type RankedRows } from './ranked-rows.ts';
import { type RowSide, type Sides, TimesReader } from './row-reader.ts';
import {
  type Beyond,
  countMoved,
  LEAST_GROWTH,
  measureDispersion,
  measureShift,
  type Shift,
} from './shift.ts';

/** The chance that a row is named although nothing has changed, over all rows together. */
const CHANCE = 0.001;

// A row has a test for each percentile and each direction.
const TESTS_OF_ROW = 2 * WHY_PERCENTILES.length;

/** A row with fewer values before is new: its own past says too little. */
const LEAST_BEFORE = 20;

/** A percentile is shown when at least so many values are beyond it. */
const LEAST_BEYOND = 5;

// Those with the most values that moved. Each takes a look at every interval.
const MOST_JUDGED = 200;
const MOST_ROWS = 100;

const LONGEST_SLICE_MS = 5;

/** Slices of a ranking: it runs in the process of a service while the service is in trouble. */
export function makeSlices(): Slices {
  return new Slices({ longestMs: LONGEST_SLICE_MS });
}

/** A row that may have changed. */
interface Suspect {
  readonly row: RankedRow;
  readonly isNew: boolean;
  /** Whether values of it, or of what it is compared with, may lie in several slots. */
  readonly isWide: boolean;
  /** The largest weight of it, and of what it is compared with. */
  readonly weight: number;
  readonly shift: Shift;
  readonly moved: number;
  /** What the rows of its metric counted. */
  readonly metric: MetricTally;
}

/** What the rows of a family counted in two times. */
interface MetricTally {
  readonly errors: ErrorTally;
  /** By the number of the group of rows: see `RankedRow.group`. */
  readonly groups: readonly ErrorTally[];
  /** The rows that have values in the later time. */
  rowCount: number;
}

/** Which rows have changed between two times. */
export type Ranking = Pick<ChangesMessage, 'before' | 'after' | 'rows' | 'leftOut' | 'rowCount' | 'errors'>;

/**
 * Ranks rows by how many values have moved: how many of the later time are beyond a limit that fewer were beyond before. A row is named when
 * the evidence is larger than chance gives, where values of one stretch of time count as fewer because they depend on each other: see
 * `measureDispersion`. Runs in slices.
 *
 * @param times Both have intervals.
 * @param looks How many earlier times are looked at: chance has as many attempts.
 */
export async function rankTimes(ranked: RankedRows, times: ComparedTimes, looks: number): Promise<Ranking> {
  const slices = makeSlices();
  const families = await ranked.list(times, slices);
  const reader = new TimesReader(times, ranked.slotCount, slices);
  const leastFor = (rowCount: number): number =>
    Math.log((Math.max(1, rowCount) * TESTS_OF_ROW * looks) / CHANCE);
  const suspects: Suspect[] = [];
  const tallies: MetricTally[] = [];
  for (const family of families) tallies.push(await listSuspects(family, reader, leastFor(1), suspects));
  const rowCount = tallies.reduce((sum, one) => sum + one.rowCount, 0);
  const least = leastFor(rowCount);
  const likely = suspects
    .filter(({ shift }) => shift.evidence >= least)
    .sort((a, b) => Math.abs(b.moved) - Math.abs(a.moved));
  const changes: RowChange[] = [];
  for (const suspect of likely.slice(0, MOST_JUDGED)) {
    const { row, shift } = suspect;
    const { slotCount } = row.family.layout;
    const inTime = await readBeyond(row.members, { limit: shift.limit, slotCount }, times, slices);
    const sinceMs = findStart(shift, inTime);
    if (!isShown(suspect, readStretches(times, sinceMs, inTime), least)) continue;
    changes.push(describeChange(suspect, await reader.read(row.members, row.isWide), sinceMs));
  }
  const errors: MetricErrors[] = [];
  for (const [i, family] of families.entries()) {
    const changed = await judgeErrors(family, tallies[i]!.errors, { times, least }, slices);
    if (changed !== undefined) errors.push(changed);
  }
  // The order of equal ones must not depend on that of the series.
  changes.sort(
    (a, b) =>
      Number(b.isUp) - Number(a.isUp) ||
      Math.abs(b.moved) - Math.abs(a.moved) ||
      (a.label < b.label ? -1 : 1),
  );
  return {
    ...{ before: timeOf(times.before), after: timeOf(times.after) },
    rows: changes.slice(0, MOST_ROWS),
    leftOut: Math.max(0, changes.length - MOST_ROWS) + Math.max(0, likely.length - MOST_JUDGED),
    ...{ rowCount, errors },
  };
}

/** Adds up what rows of a family counted, and notes those that may have changed: with at least so much evidence. */
async function listSuspects(
  { family, rows, groupCount }: RankedFamily,
  reader: TimesReader,
  least: number,
  suspects: Suspect[],
): Promise<MetricTally> {
  const groups = Array.from({ length: groupCount }, startTally);
  const metric: MetricTally = { errors: startTally(), groups, rowCount: 0 };
  const weightOfAll = largestWeight(rows);
  const note = (row: RankedRow, before: RowSide, after: RowSide, isNew: boolean): void => {
    const shift = measureShift(before, after, family.layout);
    // A new row that is faster than its metric has taken nothing away from anybody.
    if (shift === undefined || shift.evidence < least || (isNew && !shift.isUp)) return;
    const isWide = row.isWide || before.first !== before.last;
    const weight = isNew ? weightOfAll : row.weight;
    suspects.push({ row, isNew, isWide, weight, shift, moved: countMoved(shift), metric });
  };
  const newRows: RankedRow[] = [];
  for (const row of rows) {
    const { before, after } = await reader.read(row.members, row.isWide);
    const counts = { before: before.first.count, after: after.first.count };
    if (counts.before + counts.after === 0) continue;
    if (counts.after > 0) {
      metric.rowCount++;
      if (counts.before < LEAST_BEFORE * row.weight) newRows.push(row);
      else note(row, before, after, false);
    }
    await tallyErrors(row, counts, [metric.errors, groups[row.group]!], reader);
  }
  if (newRows.length === 0) return metric;
  const all = await reader.readWhole(rows);
  if (all.first.count === 0) return metric;
  for (const row of newRows) {
    const { after } = await reader.read(row.members, row.isWide);
    note(row, all, after, true);
  }
  return metric;
}

function isShown({ isNew, weight, shift }: Suspect, stretches: readonly Beyond[], least: number): boolean {
  // A row that is new has no stretches, so it counts as if its values were independent.
  const used = isNew ? stretches.map(() => ({ beyond: 0, count: 1 })) : stretches;
  return shift.evidence / measureDispersion(used, weight) >= least;
}

function describeChange(suspect: Suspect, sides: Sides, sinceMs: number): RowChange {
  const { row, isNew, isWide, shift, moved, metric } = suspect;
  const { family, attributes } = row;
  const facts = { counted: countedUnitOf(family), digits: family.layout.significantDigits };
  const text = (bounds: Bounds): string => boundsText(bounds, facts);
  const { percentile, before, after } = chooseValues(suspect, sides);
  const errors = describeErrors(metric.groups[row.group]!);
  return {
    label: labelOf(family.name, attributes),
    ...{ isUp: shift.isUp, isNew },
    percentile: percentileName(percentile),
    before: isNew || before === undefined ? 'no values' : text(before),
    after: text(after),
    sinceMs,
    limit: text(boundsOfSlots(family.unitLayout, shift.limit, shift.limit)),
    above: {
      before: shift.before.beyond / shift.before.count,
      after: shift.after.beyond / shift.after.count,
    },
    isWide,
    ...{ moved, share: Math.abs(moved) / shift.after.count },
    shareOfMetric: Math.abs(moved) / metric.errors.after.count,
    ...(errors && { errors }),
  };
}

interface ShownValues {
  readonly percentile: number;
  readonly before: Bounds | undefined;
  readonly after: Bounds;
}

/** The highest percentile that has moved as the shift has, and with it its values; otherwise that of the shift. */
function chooseValues({ row, isNew, shift }: Suspect, sides: Sides): ShownValues {
  const valuesAt = (percentile: number): ShownValues => ({
    percentile,
    before: isNew ? undefined : readPercentile(sides.before, percentile, row.family),
    after: readPercentile(sides.after, percentile, row.family),
  });
  const [before, after] = [sides.before.first.count, sides.after.first.count];
  const count = isNew ? after : Math.min(before, after);
  for (const percentile of WHY_PERCENTILES) {
    const values = valuesAt(percentile);
    const { before, after } = values;
    const hasMoved =
      before === undefined ||
      (shift.isUp ? after.lower > before.upper * LEAST_GROWTH : after.upper * LEAST_GROWTH < before.lower);
    if (hasMoved && count * (1 - percentile / 100) >= LEAST_BEYOND * row.weight) return values;
  }
  return valuesAt(shift.percentile);
}

function readPercentile(
  { first, last }: RowSide,
  percentile: number,
  { unitLayout }: FamilyDefinition,
): Bounds {
  const rank = (percentile / 100) * first.count;
  return boundsOfSlots(unitLayout, first.slotAt(rank), last.slotAt(rank));
}
