import { type Bounds, HdrscopeError } from '@hdrscope/core';
import { judgeObjective, resolutionOf } from '@hdrscope/core/internal';
import { fileError } from '../errors.ts';
import { askFolder, type QueryOptions } from '../query/query-history.ts';
import { boundsOfSlots, MOST_BITS } from '../rows/slots.ts';
import { findStretch } from '../stretches.ts';
import { type CheckedObjective, checkedObjective, type ObjectiveQuestion } from './question.ts';
import { formsStatement, withinStatement } from './statement.ts';
import { dividedSlot, thresholdSlots } from './threshold.ts';

/** How an objective was kept in a period. */
export interface ObjectivePeriod {
  /** Start of the period, in milliseconds since 1970. */
  readonly startMs: number;
  /** End of the period, in milliseconds since 1970. */
  readonly endMs: number;
  /** How many values there are. */
  readonly count: number;
  /**
   * How many of them are of intervals that reach over the end of the stretch of time in which they start: some may be of a later period. That of
   * the whole time is the sum of all periods.
   */
  readonly crossingCount: number;
  /** How many of them are at most the threshold. */
  readonly within: Bounds;
  /** The share of values that are at most the threshold, from 0 to 1; `undefined` without values. */
  readonly share: Bounds | undefined;
  /**
   * How fast the error budget burnt: the share of bad values, divided by the share that may be bad. At 1 the objective is just kept.
   * `undefined` without values. Source: https://sre.google/workbook/alerting-on-slos/
   */
  readonly burnRate: Bounds | undefined;
  /** The part of the error budget of the whole time that this period used: its bad values, divided by all that may be bad. */
  readonly budgetUsed: Bounds;
  /** `undecided`: the threshold lies inside a slot, and the values of this slot decide. */
  readonly verdict: 'kept' | 'missed' | 'undecided' | 'without values';
}

/** How one group of series would have kept an objective. */
export interface ObjectiveHistory {
  /** The values of the keys of `by`; a key that the series do not have is absent. */
  readonly attributes: Readonly<Record<string, string>>;
  /** UCUM code of the unit of the threshold. */
  readonly unit: string;
  /**
   * The slot or bucket that the threshold divides, in the unit: its values may be good or bad, so shares have two bounds. The widest of
   * several; `upper` is infinite for a bucket without an end.
   * `undefined` when all shares are exact.
   */
  readonly divided: Bounds | undefined;
  /** All periods, also those without values, ascending. */
  readonly periods: readonly ObjectivePeriod[];
  /** The whole time. Its burn rate is the part of the budget that was used. */
  readonly total: ObjectivePeriod;
  /** How many periods have each verdict. */
  readonly verdicts: Readonly<Record<ObjectivePeriod['verdict'], number>>;
}

const TRIES = 3;
// Their values would count as bad.
const STRANGE = `its rows must have bits from 0 to ${MOST_BITS}, and no new scales while they are read`;
// As long as Date counts.
const LONGEST_MS = 8.64e15;

/**
 * Judges afterwards how an objective would have been kept: by day, and over the whole time. Shares are exact when the threshold is the
 * largest value of a slot. Otherwise they are bounds: the values of one slot may be on either side. Rows of different precision are each
 * judged by their own slots, and all counts are merged inside DuckDB, which needs the package `@duckdb/node-api`.
 *
 * A period without values is neither kept nor missed.
 *
 * @param folder The folder that `openHistory` writes.
 * @returns One entry for each group that has values, ordered by group.
 * @throws HdrscopeError `ERR_INVALID_OPTION` when the question is outside its documented ranges; `ERR_INCOMPATIBLE` when the history has
 *   the metric in several units: name one as `unit`; `ERR_HISTORY_FILE` and `ERR_HISTORY_ENGINE` as `queryHistory`.
 * @example
 * ```ts no-run there is no such folder
 * import { objectiveHistory } from '@hdrscope/history';
 *
 * const [all] = await objectiveHistory('history', {
 *   metric: 'http.server.request.duration',
 *   threshold: 0.25,
 *   objective: 0.999,
 *   sinceMs: Date.parse('2026-08-01'),
 *   untilMs: Date.parse('2026-11-01'),
 * });
 * console.log(`kept on ${all!.verdicts.kept} of ${all!.periods.length} days`);
 * ```
 */
export async function objectiveHistory(
  folder: string,
  question: ObjectiveQuestion,
  options: QueryOptions = {},
): Promise<ObjectiveHistory[]> {
  const checked = checkedObjective(question);
  const { threshold } = checked;
  for (let attempt = 1; ; attempt++) {
    const forms = await formsOf(folder, checked, options);
    const unit = onlyUnit(forms, checked.metric);
    if (unit === undefined) return [];
    const scales = [...new Set(forms.map(({ scale }) => scale))];
    const slots = scales.flatMap((scale) => thresholdSlots(threshold, scale));
    const rows = await askFolder(folder, checked, options, (source) =>
      withinStatement({ ...checked, unit }, source, slots),
    );
    if (rows.some(({ strange }) => Number(strange) > 0)) {
      // Rows of another scale may have been written between the two statements.
      if (attempt < TRIES) continue;
      throw fileError('read', folder, new Error(STRANGE));
    }
    const divided = [
      ...forms.map(({ scale, bits }) => dividedSlot(threshold, scale, bits)),
      ...rows.map(wideBucket),
    ]
      .filter((slot) => slot !== undefined)
      .sort((a, b) => b.upper - b.lower - (a.upper - a.lower))[0];
    return groupsOf(rows, checked).map((group) => ({ unit, divided, ...group }));
  }
}

/** The widest bucket that the threshold divides. */
function wideBucket({ wide_first, wide_last, wide_bits, wide_scale }: Row): Bounds | undefined {
  if (wide_first === null) return undefined;
  return boundsOfSlots(
    Number(wide_first),
    Number(wide_last),
    Number(wide_bits),
    resolutionOf(Number(wide_scale)),
  );
}

/**
 * The units of a metric in a history: UCUM codes, ascending.
 *
 * @param question The metric, and which of its rows are asked for.
 * @throws HdrscopeError as `objectiveHistory`
 */
export async function historyUnits(
  folder: string,
  question: Pick<ObjectiveQuestion, 'metric' | 'where' | 'sinceMs' | 'untilMs'>,
  options: QueryOptions = {},
): Promise<string[]> {
  const checked = checkedObjective({ ...question, threshold: 0, objective: 0.5, everyMs: LONGEST_MS });
  return [...new Set((await formsOf(folder, checked, options)).map(({ unit }) => unit))];
}

/** What rows have in common. */
interface Form {
  readonly unit: string;
  readonly scale: number;
  readonly bits: number;
}

async function formsOf(folder: string, question: CheckedObjective, options: QueryOptions): Promise<Form[]> {
  const rows = await askFolder(folder, question, options, (source) => formsStatement(question, source));
  return rows.map(({ unit, scale, bits }) => ({
    unit: String(unit),
    scale: Number(scale),
    bits: Number(bits),
  }));
}

/** @throws HdrscopeError `ERR_INCOMPATIBLE` */
function onlyUnit(forms: readonly Form[], metric: string): string | undefined {
  const units = [...new Set(forms.map(({ unit }) => unit))];
  if (units.length <= 1) return units[0];
  const names = units.map((unit) => JSON.stringify(unit)).join(' and ');
  throw new HdrscopeError(
    'ERR_INCOMPATIBLE',
    `${metric} has values in the units ${names}, and a threshold has one: ask for one of them with unit`,
    { details: { metric, units } },
  );
}

type Row = Record<string, unknown>;

function groupsOf(
  rows: readonly Row[],
  question: CheckedObjective,
): Pick<ObjectiveHistory, 'attributes' | 'periods' | 'total' | 'verdicts'>[] {
  const { by } = question;
  const groups = new Map<string, { attributes: Record<string, string>; counts: Map<number, PeriodCounts> }>();
  for (const row of rows) {
    const texts = by.map((_, i) => row[`group${i + 1}`] as string | null);
    const key = JSON.stringify(texts);
    const attributes = Object.fromEntries(
      by.flatMap((name, i) => (texts[i] === null ? [] : [[name, texts[i]!]])),
    );
    const group = groups.get(key) ?? { attributes, counts: new Map() };
    groups.set(key, group);
    const within = { lower: Number(row.least), upper: Number(row.most) };
    group.counts.set(Number(row.start_ms), {
      count: Number(row.total),
      crossingCount: Number(row.crossing),
      within,
      weight: Number(row.weight),
    });
  }
  return [...groups.values()].map(({ attributes, counts }) => ({
    attributes,
    ...judgedPeriods(counts, question),
  }));
}

function judgedPeriods(
  counts: ReadonlyMap<number, PeriodCounts>,
  { objective, sinceMs, untilMs, stretches }: CheckedObjective,
): Pick<ObjectiveHistory, 'periods' | 'total' | 'verdicts'> {
  const whole = sumOf(counts.values());
  const periods: ObjectivePeriod[] = [];
  const verdicts = { kept: 0, missed: 0, undecided: 0, 'without values': 0 };
  for (let atMs = sinceMs; atMs < untilMs; ) {
    const { startMs, endMs } = findStretch(stretches, atMs);
    const span = { startMs: Math.max(startMs, sinceMs), endMs: Math.min(endMs, untilMs) };
    const period = { ...span, ...judged(counts.get(startMs) ?? NOTHING, objective, whole.count) };
    verdicts[period.verdict]++;
    periods.push(period);
    atMs = endMs;
  }
  return {
    periods,
    total: { startMs: sinceMs, endMs: untilMs, ...judged(whole, objective, whole.count) },
    verdicts,
  };
}

interface PeriodCounts extends Pick<ObjectivePeriod, 'count' | 'crossingCount' | 'within'> {
  /** The largest weight of the rows. */
  readonly weight: number;
}

const NOTHING: PeriodCounts = { count: 0, crossingCount: 0, within: { lower: 0, upper: 0 }, weight: 1 };

function sumOf(all: Iterable<PeriodCounts>): PeriodCounts {
  let sum = NOTHING;
  for (const { count, crossingCount, within, weight } of all) {
    const { lower, upper } = sum.within;
    sum = {
      count: sum.count + count,
      crossingCount: sum.crossingCount + crossingCount,
      within: { lower: lower + within.lower, upper: upper + within.upper },
      weight: Math.max(sum.weight, weight),
    };
  }
  return sum;
}

/** @param totalCount How many values there are in the whole time. */
function judged(
  { count, crossingCount, within, weight }: PeriodCounts,
  objective: number,
  totalCount: number,
): Omit<ObjectivePeriod, 'startMs' | 'endMs'> {
  if (count === 0) {
    const unknown = { share: undefined, burnRate: undefined };
    return {
      count,
      crossingCount,
      within,
      ...unknown,
      budgetUsed: NOTHING.within,
      verdict: 'without values',
    };
  }
  // 0.29 * 100 is 28.999999999999996.
  const percentile = Number((objective * 100).toPrecision(15));
  const { share, verdict, budgetUsed: burnRate } = judgeObjective(within, count, percentile, { weight });
  const { budgetUsed } = judgeObjective(within, count, percentile, { budgetTotal: totalCount });
  return { count, crossingCount, within, share, burnRate, budgetUsed, verdict };
}
