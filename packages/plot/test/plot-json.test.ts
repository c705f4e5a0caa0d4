import type { Plot } from '../src/plot.ts';
import { plotFromJson, plotToJson } from '../src/plot-json.ts';
import { allPlots, comparison } from './support/plots.ts';

test.each(allPlots.map((plot) => [plot.kind, plot] as const))('a plot of %s survives JSON', (_, plot) => {
  expect(plotFromJson(plotToJson(plot))).toEqual(plot);
});

test('JSON of a plot has a version', () => {
  expect(JSON.parse(plotToJson(comparison))).toMatchObject({ kind: 'comparison', version: 1 });
});

test('infinite bounds are null in JSON', () => {
  const slots = [
    { lower: Number.NEGATIVE_INFINITY, upper: 0 },
    { lower: 0, upper: Number.POSITIVE_INFINITY },
  ];
  const text = plotToJson({ kind: 'bars', unit: 'none', slots, counts: [1, 2] });
  expect(JSON.parse(text).slots).toEqual([
    { lower: null, upper: 0 },
    { lower: 0, upper: null },
  ]);
});

test('infinite values of curves and changes are null in JSON, and infinite again', () => {
  const open = {
    percentile: 100,
    value: Number.POSITIVE_INFINITY,
    lower: 5,
    upper: Number.POSITIVE_INFINITY,
  };
  const side = { name: 'a', totalCount: 1, points: [open] };
  const changes = [
    { percentile: 50, before: 5, after: Number.POSITIVE_INFINITY, lower: 0, upper: Number.POSITIVE_INFINITY },
  ];
  const plot: Plot = { ...comparison, before: side, after: side, changes };
  expect(plotFromJson(plotToJson(plot))).toEqual(plot);
});

test('a moment whose value has no upper bound is no moment without values', () => {
  const line = { name: 'max', values: [2.5, Number.POSITIVE_INFINITY, null], lower: [null, 2.5, null] };
  const plot: Plot = { kind: 'over-time', unit: 'none', timesMs: [0, 1000, 2000], lines: [line] };
  expect(plotFromJson(plotToJson(plot))).toEqual(plot);
});

const SLOT = { lower: 0, upper: 1 };
const AXIS = { name: 'a', unit: 'none', slots: [SLOT] };
const POINT = { percentile: 50, value: 1 };
const CURVE = { name: 'a', totalCount: 1, points: [POINT] };

test.each([
  [[], 'plot must be an object'],
  [{}, 'plot.kind must be one of percentiles, comparison, over-time, heat-map, bars'],
  [{ kind: 'toString' }, 'plot.kind must be one of'],
  [{ kind: 'bars', version: undefined }, 'plot.version must be 1, got undefined'],
  [{ kind: 'bars', version: 2 }, 'plot.version must be 1, got 2'],
  [{ kind: 'percentiles', unit: 'parsec' }, 'plot.unit must be one of ns, us, ms, s, bytes, KiB, none'],
  [{ kind: 'bars', slots: {} }, 'plot.slots must be an array'],
  [{ kind: 'bars', slots: [null] }, 'plot.slots[0] must be an object'],
  [{ kind: 'bars', slots: [{ lower: 1, upper: 0 }] }, 'plot.slots[0].upper must be at least 1'],
  [{ kind: 'bars', slots: [{ lower: 5, upper: 6 }, SLOT] }, 'plot.slots[1].lower must be at least 5'],
  [{ kind: 'bars', slots: [SLOT], counts: [] }, 'plot.counts must be 1 long'],
  [{ kind: 'bars', slots: [SLOT], counts: ['1'] }, 'plot.counts[0] must be a finite number of at least 0'],
  [{ kind: 'bars', slots: [SLOT], counts: [-1] }, 'plot.counts[0] must be a finite number of at least 0'],
  [{ kind: 'bars', slots: [], counts: [], title: 7 }, 'plot.title must be a text'],
  [{ kind: 'bars', slots: [], counts: [], isInteger: 1 }, 'plot.isInteger must be true or false'],
  [{ kind: 'bars', slots: [], counts: [], slos: [{}] }, 'plot.slos[0].value must be a finite number'],
  [{ kind: 'heat-map', x: AXIS }, 'plot.y must be an object'],
  [{ kind: 'heat-map', x: { ...AXIS, unit: 'day' } }, 'plot.x.unit must be one of'],
  [{ kind: 'heat-map', x: AXIS, y: AXIS, counts: [] }, 'plot.counts must be 1 long'],
  [{ kind: 'heat-map', x: AXIS, y: AXIS, counts: [[1, 2]] }, 'plot.counts[0] must be 1 long'],
  [{ kind: 'percentiles' }, 'plot.curves must be an array'],
  [{ kind: 'percentiles', curves: [{ ...CURVE, points: 1 }] }, 'plot.curves[0].points must be an array'],
  [
    { kind: 'percentiles', curves: [{ ...CURVE, points: [POINT, { ...POINT, percentile: 49 }] }] },
    'plot.curves[0].points[1].percentile must be at least 50',
  ],
  [{ kind: 'percentiles', curves: [], valueAxis: 'cubic' }, 'plot.valueAxis must be one of linear, log'],
  [{ kind: 'comparison', before: CURVE }, 'plot.after must be an object'],
  [{ kind: 'comparison', before: CURVE, after: CURVE, changes: [{}] }, 'changes[0].percentile must be'],
  [{ kind: 'over-time', timesMs: [1, 0] }, 'plot.timesMs[1] must be at least 1'],
  [{ kind: 'over-time', timesMs: [1e300] }, 'plot.timesMs[0] must be from'],
  [
    { kind: 'over-time', timesMs: [0], lines: [{ name: 'p99', values: ['7'] }] },
    'plot.lines[0].values[0] must be a number or null',
  ],
])('JSON that is not a plot is refused: %j', (plot, message) => {
  const text = JSON.stringify(Array.isArray(plot) ? plot : { version: 1, unit: 'none', ...plot });
  expect(() => plotFromJson(text)).toThrow(expect.objectContaining({ code: 'ERR_DECODE' }));
  expect(() => plotFromJson(text)).toThrow(message);
});

test('text that is not JSON is refused', () => {
  expect(() => plotFromJson('{')).toThrow(expect.objectContaining({ code: 'ERR_DECODE' }));
});
