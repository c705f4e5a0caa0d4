import type { PercentileDifference } from '@hdrscope/core';
import { explainHistory, type HistoryExemplar, type HistoryExplanation } from '@hdrscope/history';
import {
  type AttributeSide,
  type CauseVerdict,
  describeExplanation,
  type ExplainedCause,
  type ExplainedSide,
  formatNames,
  formatPart,
  formatSide,
  type TimeRange,
} from '@hdrscope/history/internal';
import {
  boundsJson,
  type FigureJson,
  figureJson,
  scaled,
  type ValueScale,
  valueFormat,
} from '@hdrscope/inputs/internal';
import { formatBounds, formatCount, formatTime, percentileName } from '@hdrscope/kit';
import { isDecimal, wrongOption } from '../arguments.ts';
import { ExitCode, type Io } from '../command.ts';
import { defineCommand } from '../define-command.ts';
import { jsonDocument } from '../figures.ts';
import { assertApart, parseRange } from '../moment.ts';
import { integer } from '../options.ts';
import type { Colour } from '../screen/colour.ts';
import { wrapToScreen } from '../screen/help-text.ts';
import { type Column, paintEnds, shownTable } from '../screen/table.ts';
import { WHERE } from './history/options.ts';
import { headingOf, shownUnitOf } from './query/answer.ts';
import { ALLOW_MISSING, type AskedHistory, askHistory, missingJson, withEngine } from './query/engine.ts';
import { readTraces, tracesJson, tracesText } from './query/traces.ts';

const DESCRIPTION = `Explains why a percentile moved from one range of time to another, by the attributes of the series.

The cause is the attribute value whose series gained the most slow values, compared with all others, and more than chance
gives. Two or three attribute values are a cause together (route=/pay & host=h2) when each of them is needed. There may be
up to three causes. Each explains a part of the difference, by the values that its series counted and by their share
of all values ("more of /reports"); the parts of all causes and of all other series add up to 100 %. A part above 100 %
means that others made the difference smaller. The causes explain at least half of the difference together. Attribute
values that select the same series share a row, because the data cannot separate them.

A difference that may be chance is not explained. The verdict is undecided when it depends on where values lie in a wide
bucket. For values in wide buckets, the table shows bounds, and the least part that a cause explains, had its series alone
stayed as they were; one attribute value is looked for. A difference beyond doubt may have no explanation: then all series
moved alike, or the series that moved share no attribute values that the others lack.

Where the history has exemplars, the largest values after the change are listed with their traces.

A range is a start and an end (2026-03-10T14:00/2026-03-10T15:10, 2026-03-10T14:00/15:10), or one of them and a duration
(2026-03-10T14:00/70m). Times are UTC unless they say otherwise. An interval belongs to the range in which it starts.`;

/** How many of the largest values after the change are listed with their traces. */
const TRACES = 5;

export const command = defineCommand({
  path: 'hdrscope explain',
  description: DESCRIPTION,
  examples: [
    'hdrscope explain history --metric http.server.request.duration --before 2026-03-10T14:00/15:10 --after 2026-03-10T15:10/15:18',
    'hdrscope explain history --metric rpc.duration --percentile 99 --before 2026-03-09/1d --after 2026-03-10/1d --where region=eu',
  ],
  operands: { '<folder>': 'the folder of a history' },
  options: {
    metric: { value: '<name>', help: 'the metric', required: 'the name of a metric' },
    allowMissing: ALLOW_MISSING,
    before: {
      value: '<range>',
      help: 'the time that was usual',
      parse: parseRange,
      required: 'a range, as in 2026-03-10T14:00/15:10',
    },
    after: {
      value: '<range>',
      help: 'the time to explain',
      parse: parseRange,
      required: 'a range, as in 2026-03-10T15:10/15:18',
    },
    percentile: {
      value: '<number>',
      help: 'which percentile, as in 99 or 99.9',
      parse: parsePercentile,
      default: 99.9,
    },
    where: WHERE,
    top: {
      value: '<count>',
      help: 'how many attribute values the table shows',
      parse: integer(1),
      default: 10,
    },
  },
  formats: ['text', 'json'],
  output: 'when done',
  async run({ options, operands: [folder = ''], format }, io) {
    const { metric, before, after, percentile, where, top } = options;
    const question = { metric, before, after, percentile, where };
    assertApart([before, after]);
    return askHistory(folder, options, io, async (history) => {
      const explanation = await withEngine(folder, () => explainHistory(folder, question, history.query));
      const traces = await readTraces(history, { metric, where, ...after, limit: TRACES });
      const text =
        format === 'json'
          ? explanationJson(explanation, question, history, traces)
          : `${explanationText(explanation, question, top, io)}${tracesText(traces, io)}`;
      await io.stdout.write(text);
      return ExitCode.done;
    });
  },
});

/** @throws UsageError */
function parsePercentile(text: string, name: string): number {
  const digits = text.replace(/^p/, '');
  if (isDecimal(digits) && Number(digits) > 0 && Number(digits) < 100) return Number(digits);
  throw wrongOption(name, 'a number above 0 and below 100, as in 99.9', text);
}

// Outputs.

interface ExplainedQuestion {
  readonly metric: string;
  readonly before: TimeRange;
  readonly after: TimeRange;
}

/** The percentile before and after, a table of attribute values, and a sentence. */
function explanationText(
  explanation: HistoryExplanation,
  { metric, before, after }: ExplainedQuestion,
  top: number,
  io: Io,
): string {
  const { unit = '', causes } = explanation;
  const shownUnit = shownUnitOf(unit);
  const { title, scale } = shownUnit;
  const values = [explanation.before, explanation.after].flatMap(({ percentile, lower, isWide }) =>
    percentile === undefined ? [] : [percentile.value, isWide ? lower! : percentile.value],
  );
  const value = valueFormat(values.filter(Number.isFinite), scale);
  const name = percentileName(explanation.percentile);
  const sides = [
    ['before', explanation.before, before],
    ['after', explanation.after, after],
  ] as const;
  const columns: Column[] = [
    { title: '', isText: true },
    { title: 'from', isText: true, spare: 2 },
    { title: 'to', isText: true, spare: 1 },
    { title: 'values' },
    { title: name },
    { title: '99.9 % interval' },
  ];
  const rows = sides.map(([when, side, range]) => [
    when,
    timeText(range.sinceMs),
    timeText(range.untilMs),
    formatCount(side.count),
    formatSide({ ...side, value: side.percentile?.value }, value),
    intervalText(side, value),
  ]);
  const table =
    causes.length === 0 ? '' : `${causesTable(causes.slice(0, top), value, explanation.isWide, io)}\n\n`;
  return `${wrapToScreen(headingOf(metric, shownUnit), io)}

${shownTable(columns, rows, io).join('\n')}

${table}${wrapToScreen(describeExplanation(explanation, value, title), io)}
`;
}

function intervalText({ percentile }: ExplainedSide, value: (value: number) => string): string {
  if (percentile === undefined) return '-';
  return formatBounds(percentile, value);
}

function timeText(timeMs: number): string {
  return formatTime(timeMs / 1000).replace(/(:00)?\.000 UTC$| UTC$/, '');
}

const COLOURS: Readonly<Record<CauseVerdict, Colour>> = {
  'explains it': 'red',
  'explains it as well': 'red',
  overlaps: 'yellow',
  part: 'yellow',
  'not shown': 'dim',
  undecided: 'yellow',
};

function causesTable(
  causes: readonly ExplainedCause[],
  value: (value: number) => string,
  isWide: boolean,
  io: Io,
): string {
  const columns: Column[] = [
    { title: 'attribute', isText: true },
    { title: 'before' },
    { title: 'after' },
    { title: 'values before', spare: 2 },
    { title: 'values after', spare: 1 },
    { title: 'explains' },
    { title: 'by its', isText: true },
    { title: 'verdict', isText: true },
  ];
  const rows = causes.map((cause) => [
    formatNames(cause, ', '),
    formatSide(cause.before, value),
    formatSide(cause.after, value),
    formatCount(cause.before.count),
    formatCount(cause.after.count),
    formatPart(cause.explains, isWide),
    cause.kind,
    cause.verdict,
  ]);
  const verdicts = causes.map(({ verdict }) => verdict);
  return shownTable(columns, rows, io, paintEnds(verdicts, COLOURS, io)).join('\n');
}

/** The explanation as one document. Values are in `unit`, parts are parts of 1. */
function explanationJson(
  { unit: ucum, percentile, verdict, isWide, difference, causes, ...sides }: HistoryExplanation,
  { metric, before, after }: ExplainedQuestion,
  history: AskedHistory,
  traces: readonly HistoryExemplar[],
): string {
  const { unit, scale } = shownUnitOf(ucum ?? '');
  return jsonDocument({
    metric,
    unit,
    percentile,
    verdict,
    isWide,
    before: { ...rangeJson(before), ...sideJson(sides.before, scale) },
    after: { ...rangeJson(after), ...sideJson(sides.after, scale) },
    difference: difference === undefined ? null : differenceJson(difference, scale),
    causes: causes.map((cause) => ({
      ...cause,
      before: { count: cause.before.count, ...valueJson(cause.before, scale) },
      after: { count: cause.after.count, ...valueJson(cause.after, scale) },
    })),
    traces: tracesJson(traces),
    ...missingJson(history),
  });
}

function rangeJson({ sinceMs, untilMs }: TimeRange): object {
  return { startSec: sinceMs / 1000, endSec: untilMs / 1000 };
}

function sideJson({ count, percentile, ...where }: ExplainedSide, scale: ValueScale): object {
  return {
    count,
    ...valueJson({ value: percentile?.value, ...where }, scale),
    ...intervalJson(percentile, scale),
  };
}

function differenceJson(found: PercentileDifference, scale: ValueScale): object {
  const { difference, significant } = found;
  return { value: scaled(difference, scale), ...intervalJson(found, scale), significant };
}

/** Bounds of chance, and with which confidence they hold. */
function intervalJson(
  { lower, upper, confidence }: Partial<Pick<PercentileDifference, 'lower' | 'upper' | 'confidence'>> = {},
  scale: ValueScale,
): object {
  const inUnit = (bound = Number.NaN): number => scaled(bound, scale);
  return {
    interval: boundsJson({ lower: inUnit(lower), upper: inUnit(upper) }),
    confidence: confidence ?? null,
  };
}

/** The bounds of the slots that a value may lie in. */
function valueJson({ value, lower }: Pick<AttributeSide, 'value' | 'lower'>, scale: ValueScale): FigureJson {
  const inUnit = (bound = Number.NaN): number => scaled(bound, scale);
  return figureJson({ lower: inUnit(lower), upper: inUnit(value) });
}
