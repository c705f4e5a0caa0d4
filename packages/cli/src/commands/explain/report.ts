import type { PercentileDifference } from '@hdrscope/core';
import type { AttributeSide, CauseVerdict, ExplainedCause, ExplainedSide } from '@hdrscope/explain';
import { describeExplanation, formatNames, formatPart, formatSide } from '@hdrscope/explain/internal';
import type { DamagedFile, HistoryExemplar, HistoryExplanation } from '@hdrscope/history';
import {
  boundsJson,
  type FigureJson,
  figureJson,
  isEpoch,
  scaled,
  type ValueScale,
  valueFormat,
} from '@hdrscope/inputs/internal';
import { formatBounds, formatCount, formatTime, percentileName } from '@hdrscope/kit';
import { explanationWaterfall } from '@hdrscope/plot/internal';
import type { WaterfallPlot } from '@hdrscope/plot/render';
import { type Io, Refusal } from '../../command.ts';
import { jsonDocument } from '../../figures.ts';
import { writeWhole } from '../../output-options.ts';
import { wrapToScreen } from '../../screen/help-text.ts';
import type { Colour } from '../../screen/screen.ts';
import { type Column, paintEnds, shownTable } from '../../screen/table.ts';
import { headingOf, plotTitle, shownUnitOf } from '../query/answer.ts';
import { missingJson } from '../query/engine.ts';
import { tracesJson, tracesText } from '../query/traces.ts';

/** What was compared: a time, and the logs that it is of. */
export interface ComparedSpan {
  /** In seconds since 1970; of logs that do not say when they were written, since an unknown time. Infinite without intervals. */
  readonly startSec: number;
  readonly endSec: number;
  /** The logs. @default it is a time of a history */
  readonly files?: readonly string[];
}

/** An explanation, and what is shown with it. */
export interface Explained {
  readonly explanation: HistoryExplanation;
  readonly metric: string;
  readonly sides: Readonly<Record<'before' | 'after', ComparedSpan>>;
  /** The largest values after the change that have a trace. */
  readonly traces: readonly HistoryExemplar[];
  /** The files of a history that the explanation lacks. */
  readonly missing: ReadonlyMap<string, DamagedFile>;
}

/** The percentile before and after, a table of attribute values, and a sentence. */
export function explanationText(
  { explanation, metric, sides: spans, traces }: Explained,
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
    ['before', explanation.before, spans.before],
    ['after', explanation.after, spans.after],
  ] as const;
  const columns: Column[] = [
    { title: '', isText: true },
    { title: 'from', isText: true, spare: 2 },
    { title: 'to', isText: true, spare: 1 },
    { title: 'values' },
    { title: name },
    { title: '99.9 % interval' },
  ];
  const rows = sides.map(([when, side, span]) => [
    when,
    timeText(span.startSec),
    timeText(span.endSec),
    formatCount(side.count),
    formatSide({ ...side, value: side.percentile?.value }, value),
    intervalText(side, value),
  ]);
  const table =
    causes.length === 0 ? '' : `${causesTable(causes.slice(0, top), value, explanation.isWide, io)}\n\n`;
  return `${wrapToScreen(headingOf(metric, shownUnit), io)}

${shownTable(columns, rows, io).join('\n')}

${table}${wrapToScreen(describeExplanation(explanation, value, title), io)}
${tracesText(traces, io)}`;
}

function intervalText({ percentile }: ExplainedSide, value: (value: number) => string): string {
  if (percentile === undefined) return '-';
  return formatBounds(percentile, value);
}

function timeText(seconds: number): string {
  if (!(isEpoch(seconds) && Number.isFinite(seconds))) return '-';
  return formatTime(seconds).replace(/(:00)?\.000 UTC$| UTC$/, '');
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
  const colours = causes.map(({ verdict }) => COLOURS[verdict]);
  return shownTable(columns, rows, io, paintEnds(rows, colours, io)).join('\n');
}

/** The explanation as one document. Values are in `unit`, parts are parts of 1. */
export function explanationJson({ explanation, metric, sides: spans, traces, missing }: Explained): string {
  const { unit: ucum, percentile, verdict, isWide, explains, difference, causes, ...sides } = explanation;
  const { unit, scale } = shownUnitOf(ucum ?? '');
  return jsonDocument({
    metric,
    unit,
    percentile,
    verdict,
    isWide,
    explains: explains ?? null,
    before: { ...spanJson(spans.before), ...sideJson(sides.before, scale) },
    after: { ...spanJson(spans.after), ...sideJson(sides.after, scale) },
    difference: difference === undefined ? null : differenceJson(difference, scale),
    causes: causes.map((cause) => ({
      ...cause,
      before: { count: cause.before.count, ...valueJson(cause.before, scale) },
      after: { count: cause.after.count, ...valueJson(cause.after, scale) },
    })),
    traces: tracesJson(traces),
    ...missingJson({ missing }),
  });
}

function spanJson({ startSec, endSec, files }: ComparedSpan): object {
  // JSON.stringify writes infinite numbers as null.
  return { startSec, endSec, ...(files !== undefined && { files }) };
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

// Picture.

/**
 * Draws what an explanation names, and writes the picture.
 *
 * @param output A path; `-` is standard output.
 * @throws Refusal when the explanation has no parts, or the file cannot be written.
 */
export async function drawExplanation(
  explained: Explained,
  format: 'svg' | 'png',
  output: string | undefined,
  io: Io,
): Promise<void> {
  const plot = waterfallOf(explained);
  const render = await import('@hdrscope/plot/render');
  const picture = format === 'svg' ? render.renderSvg(plot) : await render.renderPng(plot);
  if (output !== undefined && output !== '-') await writeWhole([picture], output, io.signal);
  else if (typeof picture === 'string') await io.stdout.write(picture);
}

/** @throws Refusal */
function waterfallOf({ explanation, metric }: Explained): WaterfallPlot {
  const shownUnit = shownUnitOf(explanation.unit ?? '');
  const { unit, title, scale } = shownUnit;
  if (explanation.isWide) {
    throw new Refusal(
      'parts of values in wide buckets have bounds, and are not drawn: --format text and --format json show them',
    );
  }
  const convert = (value: number): number => scaled(value, scale);
  const plot = explanationWaterfall(explanation, { metric: plotTitle(metric, shownUnit), unit, convert });
  if (plot !== undefined) return plot;
  const reason = describeExplanation(explanation, valueFormat([], scale), title);
  throw new Refusal(`there are no parts to draw: ${reason}`);
}
