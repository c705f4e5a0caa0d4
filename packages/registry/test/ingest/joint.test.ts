import { explicitLayout, exponentialLayout, hdrLayout, log2Layout } from '@hdrscope/core';
import { JointHistogram } from '@hdrscope/core/joint';
import { refusalOf } from '@hdrscope/testing/refusals';
import { createRegistry, type FamilySnapshot, ingestJoint } from '../../src/index.ts';

const BYTES = explicitLayout([4096, 65_536, 1_048_576]);
const DURATIONS = hdrLayout({ highestTrackableValue: 60_000_000_000, significantDigits: 2 });
const FAMILIES = {
  duration: { name: 'request.duration', description: 'Time' },
  size: { name: 'body.size' },
};

function requests(): JointHistogram {
  return new JointHistogram([
    { name: 'duration', unit: 'ns', layout: DURATIONS },
    { name: 'size', unit: 'bytes', layout: BYTES },
  ]);
}

type Shown = [attributes: object, count: number, sum: number];

function seriesOf({ series }: FamilySnapshot): Shown[] {
  return series.map(({ attributes, histogram, sum }) => [attributes, histogram.totalCount, sum]);
}

test('each axis is a family, with a series for each class of another axis and exact sums', async () => {
  const histogram = requests();
  const registry = createRegistry();
  const classes = { axis: 'size', bounds: [4096, 1_048_576] };
  ingestJoint(registry, histogram, { families: FAMILIES, classes, attributes: { service: 'shop' } });
  for (let i = 1; i <= 100; i++) histogram.record(1_000_000 * i, 10 * i);
  histogram.record(3_000_000_000, 2_000_000);

  const [duration, size] = (await registry.gather()).families;
  expect([duration!.name, duration!.unit, size!.name, size!.unit]).toEqual([
    'request.duration',
    's',
    'body.size',
    'By',
  ]);
  expect(seriesOf(duration!)).toEqual([
    [{ service: 'shop', size: '<=4096' }, 100, 5.05],
    [{ service: 'shop', size: '>1048576' }, 1, 3],
  ]);
  expect(seriesOf(size!)).toEqual([[{ service: 'shop' }, 101, 2_050_500]]);
  expect(duration!.series[0]!.histogram.valueAtPercentile(50)).toBe(
    DURATIONS.upper(DURATIONS.slotOf(50_000_000)),
  );
  expect(size!.boundaries).toEqual([4096, 65_536, 1_048_576]);
});

test('the values of every gather are added once, and a reset takes nothing back', async () => {
  const histogram = requests();
  const registry = createRegistry();
  const ingestion = ingestJoint(registry, histogram, { families: FAMILIES });
  histogram.record(5, 5);
  await registry.gather();
  await registry.gather();
  histogram.record(7, 70_000);
  histogram.record(7, 70_000);
  await registry.gather();
  histogram.reset();
  histogram.record(5, 5);
  histogram.record(7, 70_000);
  histogram.record(7, 70_000);
  const [duration, size] = (await registry.gather()).families;

  expect(seriesOf(duration!)).toEqual([[{}, 6, 3.8e-8]]);
  expect(seriesOf(size!)).toEqual([[{}, 6, 280_010]]);
  expect(ingestion.health).toMatchObject({ newLives: 2, resets: 0 });
  await ingestion.close();
});

test('slots that include their lower bound have the largest integer of the slot as their exact bound', async () => {
  const histogram = new JointHistogram([
    { name: 'duration', unit: 'us', layout: log2Layout({ quantum: 100, slots: 4 }) },
    { name: 'size', layout: BYTES },
  ]);
  const registry = createRegistry();
  const classes = { axis: 'size', bounds: [65_536], attribute: 'class', names: ['small', 'large'] };
  ingestJoint(registry, histogram, { families: { duration: { name: 'd' } }, classes });
  for (const value of [99, 100, 199, 200]) histogram.record(value, 65_537);
  const [family] = (await registry.gather()).families;

  expect(family!.boundaries).toEqual([0.000_099, 0.000_199, 0.000_399, 0.000_799]);
  expect(seriesOf(family!)).toEqual([[{ class: 'large' }, 4, 0.000_598]]);
});

test('bounds in milliseconds are exact bounds in seconds, and slots of other layouts come by their middles', async () => {
  const histogram = new JointHistogram([
    { name: 'a', unit: 'ms', layout: explicitLayout([5, 10, 300]) },
    { name: 'b', unit: 's', layout: exponentialLayout({ scale: 3, minIndex: -80, maxIndex: 20 }) },
  ]);
  const registry = createRegistry();
  ingestJoint(registry, histogram, { families: { a: { name: 'a' }, b: { name: 'b' } } });
  histogram.record(10, 0.25);
  const [a, b] = (await registry.gather()).families;

  expect(a!.boundaries).toEqual([0.005, 0.01, 0.3]);
  expect(seriesOf(a!)).toEqual([[{}, 1, 0.01]]);
  expect(seriesOf(b!)).toEqual([[{}, 1, 0.25]]);
  expect(b!.series[0]!.histogram.totalCount).toBe(1);
});

test.each<[options: object, message: RegExp]>([
  [{}, /families must be an object with the family of at least one axis/],
  [
    { families: { latency: { name: 'x' } } },
    /families must be one of the axes "duration", "size", got "latency"/,
  ],
  [{ families: { duration: { name: 'x', unit: 'ms' } } }, /family of axis "duration" must be "s", got "ms"/],
  [
    { families: { duration: { name: 'x', resolution: 1e-6 } } },
    /"duration" must be 1e-9, one unit of the axis/,
  ],
  [
    { families: FAMILIES, classes: { axis: 'sizes', bounds: [4096] } },
    /classes.axis must be one of the axes/,
  ],
  [
    { families: FAMILIES, classes: { axis: 'size', bounds: [] } },
    /classes.bounds must be at least one number/,
  ],
  [{ families: FAMILIES, classes: { axis: 'size', bounds: [5000] } }, /such as 4096 or 65536, got 5000/],
  [{ families: FAMILIES, classes: { axis: 'size', bounds: [65_536, 4096] } }, /to must be above 65536/],
  [
    { families: FAMILIES, classes: { axis: 'size', bounds: [4096], names: ['a'] } },
    /must be 2 different names/,
  ],
  [
    { families: FAMILIES, classes: { axis: 'size', bound: [4096] } },
    /no option "bound": did you mean bounds/,
  ],
  [{ families: FAMILIES, klasses: {} }, /ingestJoint has no option "klasses"/],
])('%# refuses options that cannot be right, at once', (options, message) => {
  const call = () => ingestJoint(createRegistry(), requests(), options as never);
  expect(refusalOf(call, 'ERR_INVALID_OPTION').message).toMatch(message);
});

test('refuses slots without exact buckets', () => {
  const layout = explicitLayout([0.5, 1], 'lower');
  const histogram = new JointHistogram([{ name: 'a', layout }]);
  const call = () => ingestJoint(createRegistry(), histogram, { families: { a: { name: 'a' } } });
  expect(refusalOf(call, 'ERR_INVALID_OPTION').message).toMatch(
    /include their upper bound, or have integers/,
  );
});
