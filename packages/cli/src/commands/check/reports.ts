import { boundsJson, type Judged, type Row, type Verdict, valueFormat } from '@hdrscope/inputs/internal';
import { formatBounds, formatCount, formatShare } from '@hdrscope/kit';
import { ExitCode } from '../../command.ts';
import { type JunitCase, type Report, type ReportSection, rowDetails } from '../../file-reports.ts';
import { worthText } from '../../format.ts';
import type { Colour } from '../../screen/screen.ts';
import type { Column } from '../../screen/table.ts';

/** A check as a report: an objective that is missed or cannot be judged is a failure. */
export function checkReport(all: readonly Judged[], confidence: number): Report {
  const columns = columnsOf(confidence);
  return {
    ...{ name: 'hdrscope check', hasSubjects: true },
    result: conclusionOf(all),
    mark: isKept(all) ? '✅' : '❌',
    sections: all.map((one): ReportSection => {
      const rows = cellsOf(one);
      return {
        ...{ heading: one.subject.name, facts: factsText(one), columns, rows },
        colours: one.rows.map(({ verdict }) => COLOURS[verdict]),
        sentences: notesOf(one),
        cases: rows.map((cells, at) => testOf(one, columns, cells, one.rows[at]!)),
      };
    }),
    json: () => checkJson(all, confidence),
  };
}

const COLOURS: Readonly<Record<Verdict, Colour>> = {
  'kept beyond doubt': 'green',
  kept: 'green',
  missed: 'red',
  'missed beyond doubt': 'red',
  'cannot be judged': 'yellow',
};

function testOf(
  { subject: { unit } }: Judged,
  columns: readonly Column[],
  cells: readonly string[],
  { kind, objective, verdict, note, isFailure }: Row,
): JunitCase {
  const shownUnit = kind !== 'percentile' || unit === 'none' ? '' : ` ${unit}`;
  const actual = cells[1] === '-' ? '' : `, actual ${cells[1]}${shownUnit}`;
  return {
    name: objective,
    outcome: isFailure ? 'failure' : 'passed',
    type: verdict,
    message: `${objective}: ${verdict}${actual}${note === undefined ? '' : `. ${note}`}`,
    details: rowDetails(columns, cells),
  };
}

// The table of verdicts.

function columnsOf(confidence: number): Column[] {
  return [
    { title: 'objective', isText: true },
    { title: 'actual' },
    { title: `${formatShare(confidence)} interval`, spare: 2 },
    { title: 'within', spare: 1 },
    { title: 'verdict', isText: true },
  ];
}

/** The cells of each verdict, in the order of `columnsOf`. */
function cellsOf({ subject, rows }: Judged): string[][] {
  const shown = rows.flatMap(({ kind, actual, interval }) =>
    kind === 'percentile' ? [actual?.upper ?? 0, interval?.lower ?? 0] : [],
  );
  const format = valueFormat(shown, { divisor: 1, unit: subject.unit === 'ms' ? 'ms' : '' });
  const count = typeof subject.evidence === 'string' ? 0 : subject.evidence.count;
  return rows.map((row) => {
    const { objective, kind, interval, within, verdict } = row;
    return [
      objective,
      actualText(row, format),
      interval === undefined ? '-' : formatBounds(interval, format),
      kind !== 'percentile' || within === undefined
        ? '-'
        : formatBounds(within, (values) => formatShare(values / count)),
      verdict,
    ];
  });
}

/** The actual value of an objective, in bounds when they decide or when the value is rounded. */
function actualText(row: Row, format: (value: number) => string): string {
  const { kind, actual, within, threshold = 0 } = row;
  if (actual === undefined) return '-';
  if (kind !== 'percentile') {
    const count = formatCount(actual.upper);
    return row.share === undefined ? count : `${count} (${formatShare(row.share)})`;
  }
  const isNarrow = actual.upper <= actual.lower * NARROW || actual.upper === 0;
  const isCounted = within !== undefined && within.lower === within.upper;
  const isDivided = !isCounted && actual.lower <= threshold && threshold < actual.upper;
  return isNarrow && !isDivided ? format(actual.upper) : formatBounds(actual, format);
}

// A slot of two significant digits. The person knows that a histogram rounds.
const NARROW = 1.01;

/** The number of values and of failures, for the head of a table: `1,000 values, in ms; 3 of 1,000 requests failed`. */
function factsText({ subject: { evidence, unit, errors }, rows }: Judged): string {
  const worth = rows.flatMap(({ kind, sample }) => (kind === 'percentile' && sample ? sample.asGoodAs : []));
  const count =
    typeof evidence === 'string'
      ? 'values cannot be judged'
      : // Bounded: the command line names the objectives.
        worthText(evidence.count, Math.min(evidence.count, ...worth));
  const shown = unit === 'none' ? count : `${count}, in ${unit}`;
  if (typeof errors === 'string') return shown;
  return `${shown}; ${formatCount(errors.failed)} of ${formatCount(errors.requests)} requests failed`;
}

/** The sentences below a table: the ground of each verdict that is not sure, and facts about the values. */
function notesOf({ subject, rows, notes }: Judged): string[] {
  const grounds = rows.flatMap(({ objective, note }) =>
    note === undefined ? [] : [`${objective}: ${note}`],
  );
  return [...grounds, ...notes, ...subject.notes];
}

// The result.

/** The exit code of a check: an objective that is missed outweighs one that cannot be judged. */
export function exitCodeOf(all: readonly Judged[]): number {
  const failed = all.flatMap(({ rows }) => rows.filter(({ isFailure }) => isFailure));
  if (failed.length === 0) return ExitCode.done;
  return failed.every(({ verdict }) => verdict === 'cannot be judged')
    ? ExitCode.undecided
    : ExitCode.refused;
}

function isKept(all: readonly Judged[]): boolean {
  return all.every(({ rows }) => rows.every(({ isFailure }) => !isFailure));
}

/** A sentence with the result of a check. */
function conclusionOf(all: readonly Judged[]): string {
  const rows = all.flatMap((one) => one.rows);
  const failed = rows.filter(({ isFailure }) => isFailure);
  if (failed.length === 0) {
    return rows.length === 1 ? 'The objective is kept.' : `All ${rows.length} objectives are kept.`;
  }
  const is = (wanted: (row: Row) => boolean, words: string): string[] => {
    const count = failed.filter(wanted).length;
    return count === 0 ? [] : [`${count} ${words}`];
  };
  const parts = [
    ...is(({ verdict }) => verdict.startsWith('missed'), 'missed'),
    ...is(({ verdict }) => verdict === 'cannot be judged', 'cannot be judged'),
    ...is(({ verdict }) => verdict === 'kept', 'kept, but not beyond doubt'),
  ];
  return `Of ${rows.length} ${rows.length === 1 ? 'objective' : 'objectives'}: ${parts.join(', ')}.`;
}

// JSON.

/** The verdicts for a program. Values are in the unit of their subject. */
function checkJson(all: readonly Judged[], confidence: number): object {
  return {
    isKept: isKept(all),
    confidence,
    subjects: all.map(({ subject: { name, tag, unit, evidence, errors, notes }, rows, notes: limits }) => ({
      name,
      tag: tag ?? null,
      unit,
      count: typeof evidence === 'string' ? null : evidence.count,
      errors: typeof errors === 'string' ? null : errors,
      objectives: rows.map((row) => ({
        kind: row.kind,
        objective: row.objective,
        percentile: row.percentile ?? null,
        threshold: row.threshold ?? null,
        verdict: row.verdict,
        isFailure: row.isFailure,
        actual: row.actual === undefined ? null : boundsJson(row.actual),
        interval: row.interval === undefined ? null : boundsJson(row.interval),
        within: row.within === undefined ? null : boundsJson(row.within),
        asGoodAs: row.sample?.asGoodAs ?? null,
        independentPieces: row.sample?.pieces ?? null,
        note: row.note ?? null,
      })),
      notes: [...limits, ...notes],
    })),
  };
}
