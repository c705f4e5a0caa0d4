import { DoubleHistogram, HistogramSum } from '@hdrscope/core';
import { usedSlots } from '@hdrscope/core/internal';
import {
  type DecodedInterval,
  type DecodeIntervalsOptions,
  decodeIntervals,
  summarizeDividedLogs,
} from '@hdrscope/interval-log/internal';
import { Slices } from '@hdrscope/kit';
import {
  type BarPlot,
  barsOfHistogram,
  type ComparisonPlot,
  type Curve,
  createHeatMap,
  createOverTime,
  curveOf,
  curveOfPercentiles,
  curveOfSum as curveOfSlotSums,
  type HeatMapPlot,
  percentileCurve,
  type TimePlot,
} from '@hdrscope/plot';
import {
  type AxisSlot,
  type CurveOptions,
  type CurveValues,
  makeComparisonPlot,
  type PlottedSide,
} from '@hdrscope/plot/internal';
import { Refusal, UsageError } from '../../command.ts';
import { withValues } from '../../comparison/index.ts';
import type { InputKind } from '../../inputs/input.ts';
import { type CountedInput, readPercentileText } from '../../inputs/read-values.ts';
import { assertCurves, describeRecording, explainTagLimit } from '../../inputs/selection-options.ts';
import { type Reading, readSum, type Sum, type ValueInput } from './reading.ts';

interface Named extends Sum {
  readonly name: string;
}

interface ReadingOptions {
  readonly confidence: number | undefined;
  /** How many columns the picture has. */
  readonly columns: number;
  /** Gets the values of each curve that is drawn. */
  readonly onCurve: (values: CurveValues) => void;
}

/**
 * A curve for each file, or for each tag of a log with several tags.
 *
 * @throws Refusal, UsageError
 */
export async function readCurves(
  inputs: readonly ValueInput[],
  reading: Reading,
  { confidence, columns, onCurve }: ReadingOptions,
): Promise<Curve[]> {
  const found: Named[] = [];
  for (const input of inputs) {
    for (const one of await histogramsOf(input, inputs.length > 1, reading)) found.push(one);
  }
  const curves: Curve[] = [];
  const slices = new Slices();
  for (const { name, ...sum } of found) {
    const { histogram } = sum;
    if (slices.isOver()) {
      await slices.next();
      // Ends the work when the command has to end.
      reading.onBytes(0);
    }
    if (histogram.totalCount === 0) {
      await reading.note(`${name} has no values`);
      continue;
    }
    onCurve({ name, slotAt: (percentile) => slotOfSum(sum, percentile) });
    if (confidence === undefined) {
      curves.push(curveOfSum(name, sum, columns));
    } else if (histogram instanceof DoubleHistogram || (sum.text ?? sum.counted) !== undefined) {
      const why =
        sum.text !== undefined
          ? 'is percentile text, which does not have every value'
          : sum.counted === undefined
            ? 'has doubles'
            : 'has slots of its own, whose bounds are drawn';
      await reading.note(`${name} is drawn without intervals: it ${why}`);
      curves.push(curveOfSum(name, sum, columns));
    } else {
      const { valueScale, period } = sum;
      curves.push(percentileCurve(name, histogram, { confidence, valueScale, period, columns }));
    }
  }
  return curves;
}

/** The curve of a file without intervals. Percentile text has the values of its rows only. */
function curveOfSum(
  name: string,
  { histogram, text, counted, valueScale, period }: Sum,
  columns: number,
): Curve {
  const options: CurveOptions = { valueScale, period };
  if (counted !== undefined) {
    const { sketch, perUnit } = counted;
    const { min, max } = sketch;
    const sum = new HistogramSum();
    sum.add(sketch.counted, { ...(min !== undefined && { min }), ...(max !== undefined && { max }) });
    return curveOfSlotSums(name, sum, { columns, valueScale: valueScale / perUnit });
  }
  return text === undefined
    ? curveOf(name, histogram, { ...options, columns })
    : curveOfPercentiles(name, text, options);
}

/** The bounds of a percentile. Those of percentile text reach from row to row, because a value may lie anywhere between two rows. */
function slotOfSum({ histogram, text, counted, valueScale }: Sum, percentile: number): AxisSlot {
  const { lowest, highest } = text ?? counted?.bounds ?? { lowest: histogram, highest: histogram };
  const lower = lowest.lowestEquivalentValue(lowest.valueAtPercentile(percentile));
  return { lower: lower / valueScale, upper: highest.valueAtPercentile(percentile) / valueScale };
}

async function histogramsOf(input: ValueInput, isOneOfSeveral: boolean, reading: Reading): Promise<Named[]> {
  const { kind, title, source } = input;
  if (kind !== 'log') {
    const sum = await readSum(input, reading);
    return sum === undefined ? [] : [{ name: title, ...sum }];
  }
  const { selection, onBytes, malformed, divideLog } = reading;
  const options = { ...selection, onBytes, onMalformed: malformed.add };
  const { tags } = await summarizeDividedLogs([source], options, divideLog).catch(explainTagLimit);
  assertCurves(tags.length, input.name);
  return tags.map(({ tag, histogram, startSec, endSec }) => {
    const ofTag = tag ?? '(no tag)';
    const name = tags.length === 1 ? title : isOneOfSeveral ? `${title} ${ofTag}` : ofTag;
    return { name, histogram, valueScale: 1, period: { startMs: startSec * 1000, endMs: endSec * 1000 } };
  });
}

// Bars.

/** Draws the bars of each file. @throws Refusal, UsageError */
export async function readBars(inputs: readonly ValueInput[], reading: Reading): Promise<BarPlot[]> {
  const plots: BarPlot[] = [];
  for (const input of inputs) {
    const sum = await readSum(input, reading);
    if (sum === undefined) continue;
    const { histogram, counted, valueScale, losses = [] } = sum;
    if (counted !== undefined) {
      plots.push(makeSketchBars(counted, { unit: reading.unit, title: input.title }, valueScale));
      continue;
    }
    // Bars have all values, and the text has some of them.
    for (const loss of losses) await reading.note(loss);
    if (histogram instanceof DoubleHistogram) {
      throw new Refusal(`${input.name} has doubles, which bars cannot show; --kind percentiles can`);
    }
    const plot = barsOfHistogram(histogram, { unit: reading.unit, title: input.title });
    plots.push(valueScale === 1 ? plot : scaledBars(plot, valueScale));
  }
  return plots;
}

/** The slots of another program that have values, as bars. */
function makeSketchBars(
  { sketch, perUnit }: CountedInput,
  titles: Pick<BarPlot, 'unit'> & { readonly title: string },
  valueScale: number,
): BarPlot {
  const { layout, counts } = sketch.counted;
  const used = [...usedSlots(counts)];
  const shown = (value: number): number => Number(((value * perUnit) / valueScale).toPrecision(15));
  return {
    ...{ kind: 'bars', ...titles },
    slots: used.map(([slot]) => ({ lower: shown(layout.lower(slot)), upper: shown(layout.upper(slot)) })),
    counts: used.map(([, count]) => count),
  };
}

function scaledBars(plot: BarPlot, valueScale: number): BarPlot {
  const slots = plot.slots.map(({ lower, upper }) => ({
    lower: lower / valueScale,
    upper: upper / valueScale,
  }));
  return { ...plot, slots };
}

// Values over time.

/** A heat map of the values over time, of all logs together. @throws Refusal */
export async function readHeatMap(inputs: readonly ValueInput[], reading: Reading): Promise<HeatMapPlot> {
  const heatMap = createHeatMap({ unit: reading.unit });
  for await (const { interval, histogram, name } of intervalsOf(inputs, reading)) {
    if (histogram instanceof DoubleHistogram) {
      throw new Refusal(`${name} has doubles, which a heat map cannot show; --kind over-time can`);
    }
    heatMap.add({ startMs: interval.startTimeMs, endMs: interval.endTimeMs, histogram });
  }
  return heatMap.plot();
}

/** Percentiles of all logs together, over time. @throws Refusal */
export async function readOverTime(
  inputs: readonly ValueInput[],
  reading: Reading,
  percentiles: readonly number[],
): Promise<TimePlot> {
  // A log has integers or doubles. An interval of another kind than the first is refused when it is added.
  const overTime = createOverTime({
    unit: reading.unit,
    percentiles: percentiles.includes(100) ? percentiles : [...percentiles, 100],
  });
  let isDouble: boolean | undefined;
  for await (const { interval, histogram, name } of intervalsOf(inputs, reading)) {
    isDouble ??= interval.isDouble;
    if (isDouble !== interval.isDouble) throw new Refusal(`${name}: integers and doubles cannot be added up`);
    overTime.add({ startMs: interval.startTimeMs, endMs: interval.endTimeMs, histogram });
  }
  return overTime.plot();
}

interface ReadInterval extends DecodedInterval {
  readonly name: string;
}

async function* intervalsOf(
  inputs: readonly ValueInput[],
  { selection, onBytes, malformed }: Reading,
): AsyncGenerator<ReadInterval, void> {
  for (const { kind, name, stretches } of inputs) {
    if (kind !== 'log') {
      throw new Refusal(
        stretches === undefined
          ? `${name} ${WITHOUT_TIMES[kind]}, which has no times: --kind over-time and heat-map take interval logs`
          : `--kind over-time and heat-map take interval logs: ${describeRecording(name)}`,
      );
    }
  }
  for (const { name, source } of inputs) {
    const options: DecodeIntervalsOptions = {
      ...selection,
      onBytes,
      onMalformed: malformed.add,
      storage: 'sparse',
    };
    for await (const { interval, histogram } of decodeIntervals(source, options)) {
      yield { interval, histogram, name };
    }
  }
}

const WITHOUT_TIMES: Readonly<Record<Exclude<InputKind, 'log' | 'json'>, string>> = {
  percentiles: 'is percentile text',
  encoded: 'is a histogram',
  numbers: 'is a text of numbers',
  recorded: 'has histograms in JSON',
};

// Comparisons.

interface ComparisonOptions {
  readonly percentiles: readonly number[];
  readonly confidence: number;
  /** How many columns the picture has. */
  readonly columns: number;
}

/**
 * Compares two files: the first is from before a change, the second from after it.
 *
 * @throws Refusal, UsageError
 */
export async function readComparison(
  inputs: readonly ValueInput[],
  reading: Reading,
  { percentiles, confidence, columns }: ComparisonOptions,
): Promise<ComparisonPlot> {
  const [first, second, ...more] = inputs;
  if (first === undefined || second === undefined || more.length > 0) {
    throw new UsageError(`--kind comparison takes two files, before and after, got ${inputs.length}`);
  }
  const before = await readSide(first, reading, columns);
  const after = await readSide(second, reading, columns);
  return makeComparisonPlot(before, after, { unit: reading.unit, percentiles, confidence });
}

async function readSide(input: ValueInput, reading: Reading, columns: number): Promise<PlottedSide> {
  const { title } = input;
  const plotted = (values: PlottedSide['values'], sum: Sum): PlottedSide => ({
    curve: curveOfSum(title, sum, columns),
    values,
    valueScale: sum.valueScale,
  });
  if (input.kind === 'percentiles') {
    const { values, losses } = await readPercentileText(input, reading);
    for (const loss of losses) await reading.note(loss);
    return plotted(values, { histogram: values.histogram, valueScale: 1, text: values });
  }
  const sum = await readSum(input, reading);
  if (sum?.counted !== undefined) return plotted(sum.counted.bounds, sum);
  const values = withValues(sum?.histogram, input.name, input.kind === 'log');
  return plotted(values, sum ?? { histogram: values, valueScale: 1 });
}
