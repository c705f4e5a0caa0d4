import { assertText, mustBe } from '@hdrscope/core/internal';
import { asFinite, asObject, asText, Budget, type JsonObject, parseJson, readTimeZone } from '@hdrscope/kit';
import { assertPlot } from './assert-plot.ts';
import {
  assertAscending,
  between,
  finiteOr,
  list,
  numbers,
  oneOf,
  optionalFields,
  type Reader,
  unitOf,
} from './json-fields.ts';
import type {
  AxisSlot,
  BarPlot,
  ComparisonPlot,
  Curve,
  CurvePoint,
  HeatAxis,
  HeatMapPlot,
  ObjectiveLine,
  PercentilePlot,
  Period,
  Plot,
  PlotTitles,
  PlottedChange,
  TimePlot,
} from './plot.ts';

/**
 * A plot as JSON. Its `version` is 1: readers refuse any other number. An infinite bound or value becomes `null`, because JSON has no
 * number for it.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when `plot` is not a plot.
 * @example
 * ```ts
 * import { plotFromJson, plotToJson } from '@hdrscope/plot';
 *
 * const slots = [{ lower: 0, upper: 64 }, { lower: 65, upper: Infinity }];
 * const text = plotToJson({ kind: 'bars', unit: 'none', slots, counts: [7, 1] });
 * text.includes('{"lower":65,"upper":null}'); //=> true
 * const plot = plotFromJson(text);
 * plot.kind === 'bars' && plot.slots[1]!.upper; //=> Infinity
 * plotFromJson('{"kind":"bars","version":2}'); //=> throws ERR_DECODE
 * ```
 */
export function plotToJson(plot: Plot): string {
  assertPlot(plot);
  const { kind, ...rest } = plot;
  return JSON.stringify({ kind, version: VERSION, ...rest });
}

/**
 * Reads a plot that `plotToJson` wrote. A bound or a value that is `null` becomes infinite. Fields that no plot has are left out.
 *
 * @param text The JSON of a plot.
 * @throws HdrscopeError `ERR_DECODE` when the text is not JSON, or not that of a plot of version 1.
 */
export function plotFromJson(text: string): Plot {
  assertText('the text', text);
  const json = asObject(parseJson(text, 'the plot', new Budget('the plot', {})), 'plot');
  const plotOf = KINDS.get(json.kind);
  if (plotOf === undefined)
    throw mustBe('ERR_DECODE', 'plot.kind', `one of ${[...KINDS.keys()].join(', ')}`, json.kind);
  if (json.version !== VERSION) throw mustBe('ERR_DECODE', 'plot.version', String(VERSION), json.version);
  return plotOf(json);
}

const VERSION = 1;

const KINDS: ReadonlyMap<unknown, (json: JsonObject) => Plot> = new Map<
  Plot['kind'],
  (json: JsonObject) => Plot
>([
  ['percentiles', percentilePlot],
  ['comparison', comparisonPlot],
  ['over-time', timePlot],
  ['heat-map', heatMapPlot],
  ['bars', barPlot],
]);

// The last moment that a Date can hold, in ms.
const LAST_MS = 8.64e15;

/** @throws HdrscopeError `ERR_DECODE` */
const timeZone: Reader<string> = (value, where) => {
  const found = readTimeZone(asText(value, where));
  if (found === undefined)
    throw mustBe('ERR_DECODE', where, 'the name of a time zone, as in Europe/Berlin', value);
  return found;
};

const TITLES = { title: asText, subtitle: asText };
const anyMoment = between(-LAST_MS, LAST_MS);
const anyCount = between(0, Number.MAX_VALUE);
const anyPercentile = between(0, 100);
const anyShare = between(0, 1);
const valueAxis = oneOf(['linear', 'log']);

function percentilePlot(json: JsonObject): PercentilePlot {
  return {
    kind: 'percentiles',
    unit: unitOf(json.unit, 'plot.unit'),
    curves: list(curve)(json.curves, 'plot.curves'),
    ...optionalFields<PlotTitles & Pick<PercentilePlot, 'slos' | 'valueAxis'>>(json, 'plot', {
      ...TITLES,
      slos: list(objectiveLine),
      valueAxis,
    }),
  };
}

function comparisonPlot(json: JsonObject): ComparisonPlot {
  return {
    kind: 'comparison',
    unit: unitOf(json.unit, 'plot.unit'),
    before: curve(json.before, 'plot.before'),
    after: curve(json.after, 'plot.after'),
    changes: list(percentileChange)(json.changes, 'plot.changes'),
    confidence: anyShare(json.confidence, 'plot.confidence'),
    ...optionalFields<PlotTitles & Pick<ComparisonPlot, 'valueAxis'>>(json, 'plot', { ...TITLES, valueAxis }),
  };
}

function timePlot(json: JsonObject): TimePlot {
  const timesMs = list(anyMoment)(json.timesMs, 'plot.timesMs');
  assertAscending(timesMs, (at) => `plot.timesMs[${at}]`);
  return {
    kind: 'over-time',
    unit: unitOf(json.unit, 'plot.unit'),
    timesMs,
    lines: list((value, where) => {
      const { name, values, lower } = asObject(value, where);
      const ofMoments = (all: unknown, field: string): readonly (number | null)[] =>
        numbers(all, `${where}.${field}`, timesMs.length, 'a number or null', isValueOrNull);
      const least = lower === undefined ? undefined : ofMoments(lower, 'lower');
      // JSON has no infinity. A moment without values has no lower bound either.
      const open = (at: number): number | null =>
        (least?.[at] ?? null) === null ? null : Number.POSITIVE_INFINITY;
      return {
        name: asText(name, `${where}.name`),
        values: ofMoments(values, 'values').map((value, at) => value ?? open(at)),
        ...(least && { lower: least }),
      };
    })(json.lines, 'plot.lines'),
    ...optionalFields<
      PlotTitles & Pick<TimePlot, 'totalCount' | 'endMs' | 'timeZone' | 'slos' | 'valueAxis'>
    >(json, 'plot', {
      ...TITLES,
      totalCount: anyCount,
      endMs: anyMoment,
      timeZone,
      slos: list(objectiveLine),
      valueAxis,
    }),
  };
}

function heatMapPlot(json: JsonObject): HeatMapPlot {
  const [x, y] = [heatAxis(json.x, 'plot.x'), heatAxis(json.y, 'plot.y')];
  const cells: Reader<readonly (readonly number[])[]> = (value, where) => {
    const rows = list((row, at) => countsOf(row, at, x.slots))(value, where);
    if (rows.length !== y.slots.length) throw mustBe('ERR_DECODE', where, `${y.slots.length} long`, value);
    return rows;
  };
  return {
    kind: 'heat-map',
    x,
    y,
    counts: cells(json.counts, 'plot.counts'),
    ...optionalFields<PlotTitles & Pick<HeatMapPlot, 'countName' | 'timeZone' | 'lower' | 'upper'>>(
      json,
      'plot',
      {
        ...TITLES,
        lower: cells,
        upper: cells,
        countName: asText,
        timeZone,
      },
    ),
  };
}

function barPlot(json: JsonObject): BarPlot {
  const slots = axisSlots(json.slots, 'plot.slots');
  const ofSlots: Reader<readonly number[]> = (value, where) => countsOf(value, where, slots);
  return {
    kind: 'bars',
    unit: unitOf(json.unit, 'plot.unit'),
    slots,
    counts: ofSlots(json.counts, 'plot.counts'),
    ...optionalFields<PlotTitles & Pick<BarPlot, 'name' | 'isInteger' | 'slos' | 'lower' | 'upper'>>(
      json,
      'plot',
      {
        ...TITLES,
        lower: ofSlots,
        upper: ofSlots,
        name: asText,
        isInteger: truth,
        slos: list(objectiveLine),
      },
    ),
  };
}

function curve(value: unknown, where: string): Curve {
  const json = asObject(value, where);
  const points = list(curvePoint)(json.points, `${where}.points`);
  assertAscending(
    points.map(({ percentile }) => percentile),
    (at) => `${where}.points[${at}].percentile`,
  );
  return {
    name: asText(json.name, `${where}.name`),
    points,
    totalCount: anyCount(json.totalCount, `${where}.totalCount`),
    ...optionalFields<Pick<Curve, 'period' | 'confidence'>>(json, where, { period, confidence: anyShare }),
  };
}

/** The value of an open slot, and its upper bound, are infinite. */
function curvePoint(value: unknown, where: string): CurvePoint {
  const json = asObject(value, where);
  return {
    percentile: anyPercentile(json.percentile, `${where}.percentile`),
    value: orUnbounded(json.value, `${where}.value`),
    ...optionalFields<Pick<CurvePoint, 'from' | 'lower' | 'upper'>>(json, where, {
      from: anyPercentile,
      lower: orUnboundedBelow,
      upper: orUnbounded,
    }),
  };
}

function percentileChange(value: unknown, where: string): PlottedChange {
  const json = asObject(value, where);
  return {
    percentile: anyPercentile(json.percentile, `${where}.percentile`),
    before: orUnbounded(json.before, `${where}.before`),
    after: orUnbounded(json.after, `${where}.after`),
    ...optionalFields<Omit<PlottedChange, 'percentile' | 'before' | 'after'>>(json, where, {
      beforeLower: orUnboundedBelow,
      afterLower: orUnboundedBelow,
      lower: orUnboundedBelow,
      upper: orUnbounded,
    }),
  };
}

function period(value: unknown, where: string): Period {
  const { startMs, endMs } = asObject(value, where);
  return { startMs: anyMoment(startMs, `${where}.startMs`), endMs: anyMoment(endMs, `${where}.endMs`) };
}

function objectiveLine(value: unknown, where: string): ObjectiveLine {
  const json = asObject(value, where);
  return {
    value: asFinite(json.value, `${where}.value`),
    ...optionalFields<Pick<ObjectiveLine, 'name' | 'percentile'>>(json, where, {
      name: asText,
      percentile: anyPercentile,
    }),
  };
}

function heatAxis(value: unknown, where: string): HeatAxis {
  const json = asObject(value, where);
  return {
    name: asText(json.name, `${where}.name`),
    unit: json.unit === 'time' ? 'time' : unitOf(json.unit, `${where}.unit`),
    slots: axisSlots(json.slots, `${where}.slots`),
  };
}

function axisSlots(value: unknown, where: string): AxisSlot[] {
  const slots = list(axisSlot)(value, where);
  assertAscending(
    slots.map(({ lower }) => lower),
    (at) => `${where}[${at}].lower`,
  );
  return slots;
}

function axisSlot(value: unknown, where: string): AxisSlot {
  const json = asObject(value, where);
  const lower = orUnboundedBelow(json.lower, `${where}.lower`);
  const upper = orUnbounded(json.upper, `${where}.upper`);
  if (upper < lower) throw mustBe('ERR_DECODE', `${where}.upper`, `at least ${lower}`, upper);
  return { lower, upper };
}

/** One count for each slot. */
function countsOf(value: unknown, where: string, { length }: readonly AxisSlot[]): readonly number[] {
  return numbers(value, where, length, 'a finite number of at least 0', isCount);
}

function isCount(value: unknown): value is number {
  return Number.isFinite(value) && (value as number) >= 0;
}

function isValueOrNull(value: unknown): value is number | null {
  return value === null || Number.isFinite(value);
}

function orUnbounded(value: unknown, where: string): number {
  return finiteOr(value, where, Number.POSITIVE_INFINITY);
}

function orUnboundedBelow(value: unknown, where: string): number {
  return finiteOr(value, where, Number.NEGATIVE_INFINITY);
}

const truth: Reader<boolean> = (value, where) => {
  if (typeof value === 'boolean') return value;
  throw mustBe('ERR_DECODE', where, 'true or false', value);
};
