import { type Bounds, HdrscopeError } from '@hdrscope/core';
import { fileError } from '../errors.ts';
import { askFolder, type QueryOptions } from '../query/query-history.ts';
import { MOST_BITS } from '../rows/slots.ts';
import { judged, type ObjectivePeriod, type ObjectiveVerdict, type WithinCounts } from './judge.ts';
import { type CheckedObjective, checkedObjective, type ObjectiveQuestion } from './question.ts';
import { formsStatement, withinStatement } from './statement.ts';
import { dividedSlot, thresholdSlots } from './threshold.ts';

/** How one group of series would have kept an objective. */
export interface ObjectiveHistory {
  /** The values of the keys of `by`; a key that the series do not have is absent. */
  readonly attributes: Readonly<Record<string, string>>;
  /** UCUM code of the unit of the threshold. */
  readonly unit: string;
  /**
   * The slot that the threshold divides, in the unit: its values may be good or bad, so shares have two bounds. The widest of several.
   * `undefined` when all shares are exact.
   */
  readonly divided: Bounds | undefined;
  /** All periods, also those without values, ascending. */
  readonly periods: readonly ObjectivePeriod[];
  /** The whole time. Its burn rate is the part of the budget that was used. */
  readonly total: ObjectivePeriod;
  /** How many periods have each verdict. */
  readonly verdicts: Readonly<Record<ObjectiveVerdict, number>>;
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
    const divided = forms
      .map(({ scale, bits }) => dividedSlot(threshold, scale, bits))
      .filter((slot) => slot !== undefined)
      .sort((a, b) => b.upper - b.lower - (a.upper - a.lower))[0];
    return groupsOf(rows, checked).map((group) => ({ unit, divided, ...group }));
  }
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
  const groups = new Map<string, { attributes: Record<string, string>; counts: Map<number, WithinCounts> }>();
  for (const row of rows) {
    const texts = by.map((_, i) => row[`group${i + 1}`] as string | null);
    const key = JSON.stringify(texts);
    const attributes = Object.fromEntries(
      by.flatMap((name, i) => (texts[i] === null ? [] : [[name, texts[i]!]])),
    );
    const group = groups.get(key) ?? { attributes, counts: new Map() };
    groups.set(key, group);
    const within = { least: Number(row.least), most: Number(row.most) };
    group.counts.set(Number(row.start_ms), { count: Number(row.total), within });
  }
  return [...groups.values()].map(({ attributes, counts }) => ({
    attributes,
    ...judgedPeriods(counts, question),
  }));
}

function judgedPeriods(
  counts: ReadonlyMap<number, WithinCounts>,
  { objective, sinceMs, untilMs, everyMs }: CheckedObjective,
): Pick<ObjectiveHistory, 'periods' | 'total' | 'verdicts'> {
  const whole = sumOf(counts.values());
  const periods: ObjectivePeriod[] = [];
  const verdicts = { kept: 0, missed: 0, undecided: 0, 'without values': 0 };
  for (let startMs = sinceMs - (sinceMs % everyMs); startMs < untilMs; startMs += everyMs) {
    const span = { startMs: Math.max(startMs, sinceMs), endMs: Math.min(startMs + everyMs, untilMs) };
    const period = { ...span, ...judged(counts.get(startMs) ?? NOTHING, objective, whole.count) };
    verdicts[period.verdict]++;
    periods.push(period);
  }
  return {
    periods,
    total: { startMs: sinceMs, endMs: untilMs, ...judged(whole, objective, whole.count) },
    verdicts,
  };
}

const NOTHING: WithinCounts = { count: 0, within: { least: 0, most: 0 } };

function sumOf(all: Iterable<WithinCounts>): WithinCounts {
  let sum = NOTHING;
  for (const { count, within } of all) {
    const { least, most } = sum.within;
    sum = {
      count: sum.count + count,
      within: { least: least + within.least, most: most + within.most },
    };
  }
  return sum;
}
