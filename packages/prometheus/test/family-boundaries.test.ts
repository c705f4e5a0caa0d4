import { countedIn, explicitLayout } from '@hdrscope/core';
import { createRegistry, type Registry } from '@hdrscope/registry';
import { convertSnapshot, type SnapshotFamiliesOptions } from '../src/from-registry.ts';
import { render } from '../src/render.ts';

const BOUNDARIES = [0, 1, 4, 8, 16, 32, 64];
const COUNTS = [1200, 980, 1400, 800, 400, 30, 10, 1];

/** Run-queue depths as a kernel program counts them. */
function depths(): Registry {
  const registry = createRegistry();
  registry
    .histogram({
      name: 'depth',
      description: 'Waiting',
      resolution: 1,
      significantDigits: 1,
      boundaries: BOUNDARIES,
    })
    .with({})
    .add(countedIn(explicitLayout(BOUNDARIES), COUNTS), { sum: 15_000 });
  return registry;
}

async function text(registry: Registry, options?: SnapshotFamiliesOptions): Promise<string[]> {
  const families = convertSnapshot(await registry.gather(), options);
  return new TextDecoder().decode(render(families, 'text')).split('\n');
}

test('classic buckets at the bounds of the source slots hold the counts of these slots', async () => {
  expect(await text(depths())).toEqual([
    '# HELP depth Waiting',
    '# TYPE depth histogram',
    'depth_count 4821',
    'depth_sum 15000',
    'depth_bucket{le="0"} 1200',
    'depth_bucket{le="1"} 2180',
    'depth_bucket{le="4"} 3580',
    'depth_bucket{le="8"} 4380',
    'depth_bucket{le="16"} 4780',
    'depth_bucket{le="32"} 4810',
    'depth_bucket{le="64"} 4820',
    'depth_bucket{le="+Inf"} 4821',
    // These buckets are exact. In native ones, the values of wider slots may lie elsewhere: of those from 2 on.
    '# HELP hdrscope_inexact_values Values that came in buckets wider than the slots of their family: at most so many are shown in a wrong bucket',
    '# TYPE hdrscope_inexact_values gauge',
    'hdrscope_inexact_values{family="depth"} 3621',
    '',
  ]);
});

test('the option takes precedence over the boundaries of the family, and these over those of the unit', async () => {
  const lines = await text(depths(), { classicBoundaries: [8] });
  expect(lines.filter((line) => line.includes('le='))).toEqual([
    'depth_bucket{le="8"} 4380',
    'depth_bucket{le="+Inf"} 4821',
  ]);
  const undecided = await text(depths(), { classicBoundaries: () => undefined });
  expect(undecided.filter((line) => line.includes('le='))).toHaveLength(8);
});

test('classic buckets at the boundaries of a family are exact, those at other boundaries are exact within a slot', async () => {
  const registry = createRegistry();
  const family = registry.histogram({ name: 'jobs', unit: 's', boundaries: [0.3], thresholds: [0.6] });
  for (const value of [0.3, 0.3000001, 0.6, 0.6000001, 0.9, 0.9000001]) family.with({}).record(value);
  const buckets = (lines: string[]): string[] => lines.filter((line) => line.includes('le='));
  expect(buckets(await text(registry))).toEqual([
    'jobs_seconds_bucket{le="0.3"} 1',
    'jobs_seconds_bucket{le="+Inf"} 6',
  ]);
  expect(buckets(await text(registry, { classicBoundaries: [0.3, 0.6, 0.9] }))).toEqual([
    'jobs_seconds_bucket{le="0.3"} 1',
    'jobs_seconds_bucket{le="0.6"} 3',
    // 0.9 is not a threshold: both values of its slot count as the middle of the slot, which is below 0.9.
    'jobs_seconds_bucket{le="0.9"} 6',
    'jobs_seconds_bucket{le="+Inf"} 6',
  ]);
});

test('a family that states thresholds has a counter of the values within each, beside its histogram', async () => {
  const registry = createRegistry();
  const options = {
    name: 'jobs',
    unit: 's',
    boundaries: [0.5],
    otherThresholds: [0.7],
    thresholds: [0.6, 0.3],
  };
  const family = registry.histogram(options);
  for (const value of [0.3, 0.3000001, 0.6, 0.6000001])
    family.with({ queue: 'mail', threshold: 'x' }).record(value);
  family.with({ queue: 'print' }).record(9);
  const counter = async (format?: SnapshotFamiliesOptions) =>
    (await text(registry, format)).filter((line) => line.includes('within'));
  expect(await counter()).toEqual([
    '# HELP jobs_seconds_within_total How many values of jobs_seconds are at most the threshold',
    '# TYPE jobs_seconds_within_total counter',
    'jobs_seconds_within_total{queue="mail",exported_threshold="x",threshold="0.3"} 1',
    'jobs_seconds_within_total{queue="print",threshold="0.3"} 0',
    'jobs_seconds_within_total{queue="mail",exported_threshold="x",threshold="0.6"} 3',
    'jobs_seconds_within_total{queue="print",threshold="0.6"} 0',
  ]);
  family.with({ queue: 'print' }).record(0.3);
  expect((await counter()).filter((line) => line.includes('print'))).toEqual([
    'jobs_seconds_within_total{queue="print",threshold="0.3"} 1',
    'jobs_seconds_within_total{queue="print",threshold="0.6"} 1',
  ]);
});

test('native buckets take each slot whole, into the bucket of its middle', async () => {
  const [family] = convertSnapshot(await depths().gather());
  const { native } = family!.metrics[0]!.value as {
    native?: { positive: { counts: number[]; zeroCount: number } };
  };
  const used = native!.positive.counts.filter((count) => count > 0);
  expect([native!.positive.zeroCount, ...used]).toEqual(COUNTS);
});
