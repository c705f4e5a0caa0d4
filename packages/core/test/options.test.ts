import {
  advise,
  BasicHistogram,
  countedIn,
  DoubleHistogram,
  decimalLayout,
  explicitLayout,
  exponentialLayout,
  findQuantile,
  formatPercentiles,
  Histogram,
  hdrLayout,
  increase,
  LayoutHistogram,
  linearLayout,
  log2Layout,
  logLinearLayout,
  parsePercentiles,
  percentileInterval,
  Recorder,
  startTimer,
} from '../src/index.ts';
import { refusalOf } from './support/refused.ts';

/** Options of any kind, as a program without types passes them. */
const wrong = (options: object): never => options as never;

function recorded(): Histogram {
  const histogram = new Histogram({ highestTrackableValue: 1000 });
  histogram.record(5);
  return histogram;
}

describe('an option that does not exist is refused with the name that was meant', () => {
  test.each<[call: string, meant: string, action: () => unknown]>([
    ['Histogram', 'significantDigits', () => new Histogram(wrong({ significantDigit: 3 }))],
    [
      'Histogram, as in other libraries',
      'significantDigits',
      () => new Histogram(wrong({ numberOfSignificantValueDigits: 2 })),
    ],
    ['BasicHistogram', 'storage', () => new BasicHistogram(wrong({ Storage: 'sparse' }))],
    [
      'DoubleHistogram',
      'highestToLowestValueRatio',
      () => new DoubleHistogram(wrong({ highestToLowestRatio: 5 })),
    ],
    [
      'LayoutHistogram',
      'storage',
      () => new LayoutHistogram(explicitLayout([1]), wrong({ stroage: 'dense' })),
    ],
    ['Recorder', 'clock', () => new Recorder({}, wrong({ clok: Date.now }))],
    ['Recorder, of its histogram', 'autoResize', () => new Recorder(wrong({ autoresize: true }))],
    ['hdrLayout', 'highestTrackableValue', () => hdrLayout(wrong({ highestTrackable: 100 }))],
    ['exponentialLayout', 'minIndex', () => exponentialLayout(wrong({ scale: 0, minIndx: 0, maxIndex: 3 }))],
    ['linearLayout', 'width', () => linearLayout(wrong({ widht: 5, slots: 3 }))],
    ['log2Layout', 'quantum', () => log2Layout(wrong({ quantom: 5, slots: 3 }))],
    ['logLinearLayout', 'octaves', () => logLinearLayout(wrong({ octave: 3 }))],
    ['decimalLayout', 'decades', () => decimalLayout(wrong({ lowestPower: 0, decade: 3 }))],
    ['advise', 'maxBytes', () => advise(wrong({ highestTrackableValue: 100, maxByte: 5 }))],
    ['copy', 'storage', () => recorded().copy(wrong({ store: 'dense' }))],
    ['decode', 'highestTrackableValue', () => Histogram.decode('', wrong({ highestTrackable: 5 }))],
    ['attach', 'outOfRange', () => Histogram.attach(wrong({}), wrong({ outOfRang: 'clamp' }))],
    ['fromJSON', 'storage', () => Histogram.fromJSON({}, wrong({ storag: 'dense' }))],
    ['encodeCompressed', 'level', () => recorded().encodeCompressed(wrong({ levle: 5 }))],
    ['formatPercentiles', 'valueScale', () => formatPercentiles(recorded(), wrong({ valueScal: 5 }))],
    ['parsePercentiles', 'valueScale', () => parsePercentiles('', wrong({ valuescale: 5 }))],
    ['findQuantile', 'interpolation', () => findQuantile(recorded(), 0.5, wrong({ interpolate: 'linear' }))],
    [
      'percentileInterval',
      'confidence',
      () => percentileInterval(recorded(), 50, wrong({ confidance: 0.9 })),
    ],
    ['countedIn', 'from', () => countedIn(explicitLayout([1]), [1, 0], wrong({ form: 0 }))],
    ['increase', 'resets', () => increase(recorded(), recorded(), wrong({ reset: 'never' }))],
    ['startTimer', 'unit', () => startTimer(recorded(), wrong({ units: 'us' }))],
  ])('by %s: %s', (_call, meant, action) => {
    const { code, message, details } = refusalOf(action);
    expect([code, details.nearest]).toEqual(['ERR_INVALID_OPTION', meant]);
    expect(message).toContain(`did you mean ${meant}?`);
  });

  test('or with all names, when it is not similar to any', () => {
    const { message } = refusalOf(() => new LayoutHistogram(explicitLayout([1]), wrong({ furlong: 3 })));
    expect(message).toBe('LayoutHistogram has no option "furlong": its options are storage');
  });
});

test('positional arguments, as other HdrHistograms take them, are refused with the right call', () => {
  const Positional = Histogram as unknown as new (...args: unknown[]) => Histogram;
  expect(refusalOf(() => new Positional(1, 3600, 3)).message).toBe(
    'the options of Histogram must be one object, as in ' +
      'new Histogram({ highestTrackableValue: 3_600_000_000, significantDigits: 3 }), got 1',
  );
  const PositionalDouble = DoubleHistogram as unknown as new (...args: unknown[]) => DoubleHistogram;
  expect(refusalOf(() => new PositionalDouble(1000, 3)).code).toBe('ERR_INVALID_OPTION');
});

test('a histogram takes no counts of others through its options', () => {
  const store = { storage: 'dense', length: 5 };
  expect(refusalOf(() => new Histogram(wrong({ store }))).code).toBe('ERR_INVALID_OPTION');
  expect(refusalOf(() => new DoubleHistogram(wrong({ store }))).code).toBe('ERR_INVALID_OPTION');
});
