import {
  advise,
  BasicHistogram,
  compareRuns,
  computeExcessKurtosis,
  computeSkewness,
  countedIn,
  DoubleHistogram,
  DoubleRecorder,
  decimalLayout,
  explicitLayout,
  exponentialLayout,
  findChanges,
  findQuantile,
  findQuantiles,
  formatPercentiles,
  Histogram,
  HistogramSum,
  hdrLayout,
  increase,
  kolmogorovSmirnovTest,
  LayoutHistogram,
  linearLayout,
  log2Layout,
  logLinearLayout,
  mannWhitneyTest,
  parsePercentiles,
  percentileDifference,
  percentileInterval,
  Recorder,
  rebucket,
  startTimer,
  time,
  welchTest,
} from '@hdrscope/core';
import { JointHistogram } from '@hdrscope/core/joint';
import { type RightCalls, right } from './right-call.ts';

export function recorded(): Histogram {
  const histogram = new Histogram({ highestTrackableValue: 100_000 });
  for (let value = 1; value <= 1000; value += 1) histogram.record(value);
  return histogram;
}

function recordedDoubles(): DoubleHistogram {
  const histogram = new DoubleHistogram();
  for (let value = 1; value <= 1000; value += 1) histogram.record(value / 8);
  return histogram;
}

const histogram = recorded();
const doubles = recordedDoubles();
const layout = explicitLayout([1, 10, 100]);
const slots = new LayoutHistogram(layout);
slots.record(7);
const joint = new JointHistogram([{ name: 'a', layout }]);
joint.record(7);
const sum = new HistogramSum({ unit: 's' });
sum.add(histogram, { unit: 's' });
const sumOfDoubles = new HistogramSum();
sumOfDoubles.add(doubles);
const counts = (): Float64Array => new Float64Array(layout.slotCount);
const shared = new Histogram({ storage: 'shared', highestTrackableValue: 1000 });
const sharedDoubles = new DoubleHistogram({ storage: 'shared' });

export const CORE: RightCalls = {
  'core.kolmogorovSmirnovTest': right(kolmogorovSmirnovTest, histogram, histogram),
  'core.mannWhitneyTest': right(mannWhitneyTest, histogram, histogram),
  'core.computeSkewness': right(computeSkewness, histogram),
  'core.computeExcessKurtosis': right(computeExcessKurtosis, histogram),
  'core.compareRuns': right(compareRuns, [{ values: histogram, stretches: [] }], [{ values: histogram }], {
    percentiles: [50],
  }),
  'core.findChanges': right(findChanges, [{ name: 'a', runs: [{ values: histogram }] }], {
    percentiles: [50],
  }),
  'core.percentileDifference': right(percentileDifference, histogram, histogram, 50, {}),
  'core.percentileInterval': right(percentileInterval, histogram, 50, {}),
  'core.welchTest': right(welchTest, histogram, histogram, {}),
  'core.countedIn': right(countedIn, layout, counts(), {}),
  'core.advise': right(advise, { highestTrackableValue: 1000, maxRelativeError: 0.01 }),
  'core.BasicHistogram': right((options: object) => new BasicHistogram(options).record(1), {}),
  'core.DoubleHistogram': right((options: object) => new DoubleHistogram(options).record(1), {}),
  'core.DoubleHistogram.copy': right((options: object) => doubles.copy(options), {}),
  'core.DoubleHistogram.copyCorrected': right(
    (interval: number, options: object) => doubles.copyCorrected(interval, options),
    1,
    {},
  ),
  'core.DoubleHistogram.encodeCompressed': right((options: object) => doubles.encodeCompressed(options), {}),
  'core.DoubleHistogram.toBase64': right((options: object) => doubles.toBase64(options), {}),
  'core.DoubleHistogram.fromJSON': right(
    (json: object, options: object) => DoubleHistogram.fromJSON(json, options),
    doubles.toJSON(),
    {},
  ),
  'core.DoubleHistogram.decode': right(
    (encoded: string, options: object) => DoubleHistogram.decode(encoded, options),
    doubles.toBase64(),
    {},
  ),
  'core.DoubleHistogram.attach': right(
    (buffer: SharedArrayBuffer, options: object) => DoubleHistogram.attach(buffer, options),
    sharedDoubles.sharedBuffer,
    {},
  ),
  'core.DoubleRecorder': right(
    (options: object, ofRecorder: object) => {
      const recorder = new DoubleRecorder(options, ofRecorder);
      recorder.record(1);
      recorder.intervalHistogram();
    },
    {},
    {},
  ),
  'core.Histogram': right((options: object) => new Histogram(options).record(1), {}),
  'core.Histogram.copy': right((options: object) => histogram.copy(options), {}),
  'core.Histogram.copyCorrected': right(
    (interval: number, options: object) => histogram.copyCorrected(interval, options),
    100,
    {},
  ),
  'core.Histogram.encodeCompressed': right((options: object) => histogram.encodeCompressed(options), {}),
  'core.Histogram.toBase64': right((options: object) => histogram.toBase64(options), {}),
  'core.Histogram.fromJSON': right(
    (json: object, options: object) => Histogram.fromJSON(json, options),
    histogram.toJSON(),
    {},
  ),
  'core.Histogram.decode': right(
    (encoded: string, options: object) => Histogram.decode(encoded, options),
    histogram.toBase64(),
    {},
  ),
  'core.Histogram.attach': right(
    (buffer: SharedArrayBuffer, options: object) => Histogram.attach(buffer, options),
    shared.sharedBuffer,
    {},
  ),
  'core.LayoutHistogram': right(
    (...args: ConstructorParameters<typeof LayoutHistogram>) => new LayoutHistogram(...args).record(1),
    layout,
    {},
  ),
  'core.LayoutHistogram.fromJSON': right(
    (json: object, options: object) => LayoutHistogram.fromJSON(json, options),
    slots.toJSON(),
    {},
  ),
  'core.LayoutHistogram.quantile': right((q: number, options: object) => slots.quantile(q, options), 0.5, {}),
  'core.LayoutHistogram.quantiles': right(
    (quantiles: number[], options: object) => slots.quantiles(quantiles, options),
    [0.5],
    {},
  ),
  'core.findQuantile': right(findQuantile, slots, 0.5, {}),
  'core.findQuantiles': right(findQuantiles, slots, [0.5], {}),
  'core.Recorder': right(
    (options: object, ofRecorder: object) => {
      const recorder = new Recorder(options, ofRecorder);
      recorder.record(1);
      recorder.intervalHistogram();
    },
    {},
    {},
  ),
  'core.startTimer': right(
    (target: Histogram, options: object) => startTimer(target, options).stop(),
    recorded(),
    {},
  ),
  'core.time': right(time, recorded(), () => 7, {}),
  'core.increase': right(increase, slots, slots, {}),
  'core.JointBase.quantile': right(
    (axis: number, q: number, options: object) => joint.quantile(axis, q, options),
    0,
    0.5,
    {},
  ),
  'core.JointHistogram': right(
    (axes: ConstructorParameters<typeof JointHistogram>[0]) => new JointHistogram(axes),
    [{ name: 'a', layout }],
  ),
  'core.explicitLayout': right(explicitLayout, [1, 2], 'upper'),
  'core.rebucket': right(rebucket, layout, layout),
  'core.decimalLayout': right(decimalLayout, { lowestPower: 0, decades: 3 }),
  'core.exponentialLayout': right(exponentialLayout, { scale: 0, minIndex: 0, maxIndex: 3 }),
  'core.hdrLayout': right(hdrLayout, { highestTrackableValue: 1000 }),
  'core.linearLayout': right(linearLayout, { width: 5, slots: 3 }),
  'core.logLinearLayout': right(logLinearLayout, { subBucketsPerOctave: 4, octaves: 3 }),
  'core.log2Layout': right(log2Layout, { slots: 3 }),
  'core.HistogramSum': right((options: object) => new HistogramSum(options).add(histogram), {}),
  'core.HistogramSum.add': right(
    (other: Histogram, options: object) => new HistogramSum().add(other, options),
    histogram,
    {},
  ),
  'core.HistogramSum.addEncoded': right(
    (encoded: string, options: object) => new HistogramSum().addEncoded(encoded, options),
    histogram.toBase64(),
    {},
  ),
  'core.HistogramSum.percentileInterval': right(
    (percentile: number, options: object) => sum.percentileInterval(percentile, options),
    50,
    {},
  ),
  'core.HistogramSum.toHistogram': right((options: object) => sum.toHistogram(options), {}),
  'core.HistogramSum.toDoubleHistogram': right(
    (options: object) => sumOfDoubles.toDoubleHistogram(options),
    {},
  ),
  'core.parsePercentiles': right(parsePercentiles, formatPercentiles(histogram), {}),
  'core.formatPercentiles': right(formatPercentiles, histogram, {}),
};
