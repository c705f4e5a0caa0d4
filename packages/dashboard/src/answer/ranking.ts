import type { Bounds } from '@hdrscope/core';
import { PackedSum } from '@hdrscope/core/internal';
import type { SlotCounts } from '@hdrscope/explain/internal';
import { percentileName, Slices } from '@hdrscope/kit';
import { countedUnitOf } from '@hdrscope/plot';
import { boundsOfSlots } from '@hdrscope/registry/internal';
import { boundsText } from '../bounds-text.ts';
import { timeOf } from '../history/coarsening.ts';
import type { FamilyDefinition } from '../history/history.ts';
import { type PackedInterval, seriesIn } from '../history/packed-interval.ts';
import type { ChangesMessage, MetricErrors, RowChange } from '../messages.ts';
import { keyOf, type Question, WHY_PERCENTILES } from '../question.ts';
import { type ComparedTimes, countMs } from './baseline.ts';
import { countsErrors, isErrorKey } from './errors.ts';
import { labelOf } from './groups.ts';
import { type RowCounts, sumRows, type TwoTimes } from './series-changes.ts';
import {
  type Beyond,
  countMoved,
  evidenceOfDifference,
  LEAST_GROWTH,
  measureDispersion,
  measureShift,
  type Shift,
  sumCounts,
} from './shift.ts';
import type { ExplainedFamily } from './why.ts';

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

/** The part of the time before that is usual at least. */
const LEAST_USUAL = 0.5;

// Stretches of the time before, in which the share of slow values varies.
const STRETCHES = 10;

/** A row that may have changed. */
interface Suspect {
  readonly family: FamilyDefinition;
  readonly row: RowCounts;
  readonly isNew: boolean;
  readonly shift: Shift;
  readonly moved: number;
  readonly ofMetric: number;
  readonly errors: RowChange['errors'];
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
export async function rankTimes(
  question: Question,
  families: readonly ExplainedFamily[],
  times: ComparedTimes,
  looks: number,
): Promise<Ranking> {
  const slices = new Slices();
  const suspects: Suspect[] = [];
  const metrics: { readonly family: FamilyDefinition; readonly rows: readonly RowCounts[] }[] = [];
  let rowCount = 0;
  for (const { family, series } of families) {
    const { rows } = await sumRows(family, series, times, slices, question.by);
    rowCount += rows.filter(({ counts }) => counts.after > 0).length;
    metrics.push({ family, rows });
    for (const suspect of await listSuspects(family, rows, slices)) suspects.push(suspect);
  }
  suspects.sort((a, b) => Math.abs(b.moved) - Math.abs(a.moved));
  const least = Math.log((Math.max(1, rowCount) * TESTS_OF_ROW * looks) / CHANCE);
  const likely = suspects.filter(({ shift }) => shift.evidence >= least);
  const changes: RowChange[] = [];
  for (const suspect of likely.slice(0, MOST_JUDGED)) {
    const read = readerOf(suspect);
    const sinceMs = findStart(suspect.shift, times, read);
    if (slices.isOver()) await slices.next();
    if (isShown(suspect, listUsual(times, sinceMs), read, least))
      changes.push(describeChange(suspect, sinceMs));
    if (slices.isOver()) await slices.next();
  }
  const errors: MetricErrors[] = [];
  for (const { family, rows } of metrics) {
    const changed = await judgeErrors(family, rows, { times, least, slices });
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

async function listSuspects(
  family: FamilyDefinition,
  rows: readonly RowCounts[],
  slices: Slices,
): Promise<Suspect[]> {
  const suspects: Suspect[] = [];
  const hasBefore = rows.some(({ counts }) => counts.before > 0);
  if (!hasBefore) return suspects;
  const errorsOf = await findErrors(rows, slices);
  const ofMetric = rows.reduce((sum, { counts }) => sum + counts.after, 0);
  let whole: SlotCounts | undefined;
  for (const row of rows) {
    if (row.counts.after === 0) continue;
    const isNew = row.counts.before < LEAST_BEFORE;
    if (isNew) whole ??= await mergeSlots(rows, slices);
    const shift = measureShift(isNew ? whole! : row.before, row.after, family.layout);
    if (slices.isOver()) await slices.next();
    // A new row that is faster than its metric has taken nothing away from anybody.
    if (shift === undefined || (isNew && !shift.isUp)) continue;
    suspects.push({ family, row, isNew, shift, moved: countMoved(shift), ofMetric, errors: errorsOf(row) });
  }
  return suspects;
}

/** Reads how many values are beyond a limit in some intervals. */
type ReadBeyond = (intervals: readonly PackedInterval[]) => Beyond;

/** Reads stretches of equal length, in whole intervals. */
function readStretches(usual: readonly PackedInterval[], read: ReadBeyond): Beyond[] {
  const lengthMs = countMs(usual) / STRETCHES;
  const stretches = new Map<number, PackedInterval[]>();
  let ms = 0;
  for (const interval of usual) {
    // An interval is in the stretch that has its middle.
    const half = (interval.endMs - interval.startMs) / 2;
    const at = Math.floor((ms + half) / lengthMs);
    ms += 2 * half;
    const stretch = stretches.get(at);
    if (stretch === undefined) stretches.set(at, [interval]);
    else stretch.push(interval);
  }
  return [...stretches.values()].map(read);
}

function isShown(
  { isNew, shift }: Suspect,
  usual: readonly PackedInterval[],
  read: ReadBeyond,
  least: number,
): boolean {
  const stretches = readStretches(usual, read);
  // A row that is new has no stretches, so it counts as if its values were independent.
  const used = isNew ? stretches.map(() => ({ beyond: 0, count: 1 })) : stretches;
  return shift.evidence / measureDispersion(used) >= least;
}

/** The part of the time before in which a change had not begun. A change of five minutes ago is no noise of the usual time. */
function listUsual({ before, between }: ComparedTimes, sinceMs: number): readonly PackedInterval[] {
  const usual = [...before, ...between].filter(({ endMs }) => endMs <= sinceMs);
  return countMs(usual) < countMs(before) * LEAST_USUAL ? before : usual;
}

/** Reads how many values of a row are beyond the limit of its shift in some intervals. */
function readerOf({ family: { layout }, row: { members }, shift: { limit } }: Suspect): ReadBeyond {
  const sum = new PackedSum(layout.slotCount);
  return (intervals) => {
    for (const interval of intervals) {
      for (const { facts } of members) {
        const series = seriesIn(interval, facts.id);
        if (series !== undefined) sum.add(series.counts, 0, series.counts.length);
      }
    }
    const { slots, counts } = sum.take();
    let [beyond, count] = [0, 0];
    for (let i = 0; i < slots.length; i++) {
      count += counts[i]!;
      if (slots[i]! > limit) beyond += counts[i]!;
    }
    return { beyond, count };
  };
}

/** When a change began: the start of the interval from which on most is beyond the limit, by cumulative sums. */
function findStart(
  { before, after }: Pick<Shift, 'before' | 'after'>,
  times: ComparedTimes,
  read: ReadBeyond,
): number {
  const intervals = [...times.before, ...times.between, ...times.after].sort((a, b) => a.startMs - b.startMs);
  const [from, to] = [before.beyond / before.count, after.beyond / after.count];
  let [sum, least] = [0, 0];
  let startMs = intervals[0]!.startMs;
  intervals.forEach((interval, i) => {
    const { beyond, count } = read([interval]);
    sum += Math.sign(to - from) * (beyond - ((from + to) / 2) * count);
    if (sum > least || i + 1 === intervals.length) return;
    least = sum;
    startMs = intervals[i + 1]!.startMs;
  });
  return startMs;
}

/** Metrics whose share of errors has changed by more than chance and the time before give. */
async function judgeErrors(
  family: FamilyDefinition,
  rows: readonly RowCounts[],
  {
    times,
    least,
    slices,
  }: { readonly times: ComparedTimes; readonly least: number; readonly slices: Slices },
): Promise<MetricErrors | undefined> {
  const total = (side: keyof TwoTimes): Beyond => ({
    beyond: rows.reduce((sum, { errors }) => sum + errors[side], 0),
    count: rows.reduce((sum, { counts }) => sum + counts[side], 0),
  });
  const [before, after] = [total('before'), total('after')];
  if (before.count === 0 || after.count === 0) return undefined;
  const evidence = evidenceOfDifference(before, after);
  if (evidence < least) return undefined;
  const known = new Map<PackedInterval, Beyond>();
  const sum = new PackedSum(family.layout.slotCount);
  for (const interval of [...times.before, ...times.between, ...times.after]) {
    const counts = [0, 0];
    for (const { members } of rows) {
      for (const { facts } of members) {
        const series = seriesIn(interval, facts.id);
        if (series === undefined) continue;
        sum.add(series.counts, 0, series.counts.length);
        const count = sum.take().counts.reduce((all, one) => all + one, 0);
        counts[countsErrors(facts.attributes) ? 0 : 1]! += count;
        if (slices.isOver()) await slices.next();
      }
    }
    known.set(interval, { beyond: counts[0]!, count: counts[0]! + counts[1]! });
  }
  const read: ReadBeyond = (intervals) =>
    intervals.reduce(
      (all, one) => ({
        beyond: all.beyond + known.get(one)!.beyond,
        count: all.count + known.get(one)!.count,
      }),
      { beyond: 0, count: 0 },
    );
  const sinceMs = findStart({ before, after }, times, read);
  const usual = listUsual(times, sinceMs);
  if (evidence / measureDispersion(readStretches(usual, read)) < least) return undefined;
  return {
    metric: family.name,
    ...{ before: before.beyond / before.count, after: after.beyond / after.count, sinceMs },
  };
}

function describeChange(suspect: Suspect, sinceMs: number): RowChange {
  const { family, row, isNew, shift, moved, ofMetric, errors } = suspect;
  const facts = { counted: countedUnitOf(family), digits: family.layout.significantDigits };
  const text = (bounds: Bounds): string => boundsText(bounds, facts);
  const { percentile, before, after } = chooseValues(suspect);
  return {
    label: labelOf(family.name, row.attributes),
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
    isWide: row.before.w !== undefined || row.after.w !== undefined,
    ...{ moved, share: Math.abs(moved) / shift.after.count, shareOfMetric: Math.abs(moved) / ofMetric },
    ...(errors && { errors }),
  };
}

interface ShownValues {
  readonly percentile: number;
  readonly before: Bounds | undefined;
  readonly after: Bounds;
}

/** The highest percentile that has moved as the shift has, and with it its values; otherwise that of the shift. */
function chooseValues({ family, row, isNew, shift }: Suspect): ShownValues {
  const valuesAt = (percentile: number): ShownValues => ({
    percentile,
    before: isNew ? undefined : percentileOf(row.before, percentile, family),
    after: percentileOf(row.after, percentile, family),
  });
  const { before, after } = row.counts;
  const count = isNew ? after : Math.min(before, after);
  for (const percentile of WHY_PERCENTILES) {
    const values = valuesAt(percentile);
    const { before, after } = values;
    const hasMoved =
      before === undefined ||
      (shift.isUp ? after.lower > before.upper * LEAST_GROWTH : after.upper * LEAST_GROWTH < before.lower);
    if (hasMoved && count * (1 - percentile / 100) >= LEAST_BEYOND) return values;
  }
  return valuesAt(shift.percentile);
}

function percentileOf(side: SlotCounts, percentile: number, { unitLayout }: FamilyDefinition): Bounds {
  const rank = (percentile / 100) * sumCounts(side);
  const ends = side.k.map((slot, i) => [slot + (side.w?.[i] ?? 0), side.c[i]!] as const);
  const slotAt = (all: readonly (readonly [slot: number, count: number])[]): number => {
    let seen = 0;
    for (const [slot, count] of all) {
      seen += count;
      if (seen >= rank) return slot;
    }
    return all.at(-1)![0];
  };
  const first = slotAt(side.k.map((slot, i) => [slot, side.c[i]!] as const));
  return boundsOfSlots(
    unitLayout,
    first,
    slotAt(side.w === undefined ? ends : ends.sort(([a], [b]) => a - b)),
  );
}

// More slots than any layout has.
const SLOTS = 2 ** 26;

/** What all rows counted in the time before: equal slots, and equal stretches of slots, in one. */
async function mergeSlots(rows: readonly RowCounts[], slices: Slices): Promise<SlotCounts> {
  const sums = new Map<number, number>();
  for (const { before } of rows) {
    const { k, c, w } = before;
    for (let i = 0; i < k.length; i++) {
      const key = k[i]! * SLOTS + (w?.[i] ?? 0);
      sums.set(key, (sums.get(key) ?? 0) + c[i]!);
    }
    if (slices.isOver()) await slices.next();
  }
  const sorted = [...sums].sort(([a], [b]) => a - b);
  const widths = sorted.map(([key]) => key % SLOTS);
  return {
    k: sorted.map(([key]) => Math.floor(key / SLOTS)),
    c: sorted.map(([, count]) => count),
    ...(widths.some((width) => width > 0) && { w: widths }),
  };
}

/** The errors among the rows that differ in how requests ended only. */
async function findErrors(
  rows: readonly RowCounts[],
  slices: Slices,
): Promise<(row: RowCounts) => RowChange['errors']> {
  interface Group {
    readonly all: Record<keyof TwoTimes, number>;
    readonly bad: Record<keyof TwoTimes, number>;
    isKnown: boolean;
  }
  const keyOfGroup = ({ attributes }: RowCounts): string =>
    attributes.filter((pair) => !isErrorKey(keyOf(pair))).join('\n');
  const groups = new Map<string, Group>();
  for (const row of rows) {
    const key = keyOfGroup(row);
    const group = groups.get(key) ?? {
      all: { before: 0, after: 0 },
      bad: { before: 0, after: 0 },
      isKnown: false,
    };
    groups.set(key, group);
    for (const side of ['before', 'after'] as const) {
      group.all[side] += row.counts[side];
      group.bad[side] += row.errors[side];
    }
    group.isKnown ||= row.members.some(({ facts }) =>
      facts.attributes.some((pair) => isErrorKey(keyOf(pair))),
    );
    if (slices.isOver()) await slices.next();
  }
  return (row) => {
    const group = groups.get(keyOfGroup(row));
    if (group?.isKnown !== true) return undefined;
    const share = (side: keyof TwoTimes): number | null =>
      group.all[side] === 0 ? null : group.bad[side] / group.all[side];
    return { before: share('before'), after: share('after') };
  };
}
