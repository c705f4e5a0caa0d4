import { DoubleHistogram, type Histogram } from '@hdrscope/core';
import {
  type DecodedInterval,
  type DecodeIntervalsOptions,
  decodeIntervals,
} from '@hdrscope/interval-log/internal';
import { createHeatMap, createOverTime, type HeatMapPlot, type TimePlot } from '@hdrscope/plot';
import { Refusal } from '../command.ts';
import type { InputKind } from '../inputs/kinds.ts';
import type { Reading, ValueInput } from './reading.ts';

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
  const overTime = createOverTime<Histogram>({
    unit: reading.unit,
    percentiles: percentiles.includes(100) ? percentiles : [...percentiles, 100],
  });
  let isDouble: boolean | undefined;
  for await (const { interval, histogram, name } of intervalsOf(inputs, reading)) {
    isDouble ??= interval.isDouble;
    if (isDouble !== interval.isDouble) throw new Refusal(`${name}: integers and doubles cannot be added up`);
    overTime.add({
      startMs: interval.startTimeMs,
      endMs: interval.endTimeMs,
      histogram: histogram as Histogram,
    });
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
  for (const { kind, name } of inputs) {
    if (kind !== 'log') {
      throw new Refusal(
        `${name} ${WITHOUT_TIMES[kind]}, which has no times: --kind over-time and heat-map take logs`,
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
