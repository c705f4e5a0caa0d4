import { createRegistry, type Registry, type SeriesSnapshot } from '@hdrscope/registry';
import { lackOfFile, testUnless } from '@hdrscope/testing';
import { waitsUntil } from '../src/event-loop-delay.ts';
import { collectDefaultMetrics, type DefaultMetrics, type MetricFamily } from '../src/index.ts';
import { rendered } from './support/text.ts';

const watches: DefaultMetrics[] = [];
afterEach(() => {
  for (const watch of watches.splice(0)) watch.close();
});

function watch(...[registry, options]: Parameters<typeof collectDefaultMetrics>): DefaultMetrics {
  const metrics = collectDefaultMetrics(registry, options);
  watches.push(metrics);
  return metrics;
}

async function seriesOf(registry: Registry, name: string): Promise<readonly SeriesSnapshot[]> {
  return (await registry.gather()).families.find((family) => family.name === name)!.series;
}

/** The numbers of families, by name and label value. */
function numbersIn(families: readonly MetricFamily[]): Map<string, number> {
  const numbers = new Map<string, number>();
  for (const { name, metrics } of families) {
    for (const { labels, value } of metrics) {
      if (value.kind === 'number')
        numbers.set([name, ...labels.map(([, text]) => text)].join(' '), value.value);
    }
  }
  return numbers;
}

function block(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe('callbacks that are due every 10 ms wait', () => {
  test.each<[name: string, nowMs: number, waits: number[]]>([
    ['not at all when they run on time', 100, [0]],
    ['not at all when a timer fires early', 99.5, [0]],
    ['once when they run less than 10 ms late', 107, [7]],
    ['twice when they run 10 ms late', 110, [10, 0]],
    ['several times when they run later', 134, [34, 24, 14, 4]],
  ])('%s', (_, nowMs, waits) => {
    expect(waitsUntil(nowMs, 100, 10)).toEqual(waits);
  });

  test('at most 3000 times, from the longest wait to the shortest, after hours of hang-up', () => {
    const waits = waitsUntil(7_200_000, 0, 10);
    expect(waits).toHaveLength(3000);
    expect(waits[0]).toBe(7_200_000);
    expect(waits.at(-1)).toBeCloseTo(2400, 6);
  });
});

describe('the event loop', () => {
  test('counts a hang-up for everything that it delayed', async () => {
    const registry = createRegistry();
    watch(registry, { eventLoopIntervalMs: 5 });
    await sleep(30);
    block(200);
    await sleep(30);
    const [series] = await seriesOf(registry, 'nodejs.eventloop.delay');
    expect(series!.max).toBeGreaterThan(0.19);
    // A callback that was due in the first half waited at least half of the hang-up.
    expect(series!.histogram.totalCount).toBeGreaterThan(40);
    const longWaits = series!.histogram.totalCount - series!.histogram.countBetween(0, 100e6 - 1);
    expect(longWaits).toBeGreaterThanOrEqual(18);
  });

  test('shows its time and its utilization', async () => {
    const metrics = watch(createRegistry());
    const before = numbersIn(await metrics.families({}));
    block(50);
    await sleep(20);
    const after = numbersIn(await metrics.families({}));
    const active = 'nodejs_eventloop_time_seconds active';
    expect(after.get(active)! - before.get(active)!).toBeGreaterThan(0.045);
    expect(after.get('nodejs_eventloop_time_seconds idle')).toBeGreaterThan(0);
    expect(after.get('nodejs_eventloop_utilization')).toBeGreaterThan(0);
    expect(after.get('nodejs_eventloop_utilization')).toBeLessThanOrEqual(1);
  });
});

test('pauses of the garbage collector are counted by kind, in seconds', async () => {
  const registry = createRegistry();
  watch(registry);
  const minorOf = (series: Awaited<ReturnType<typeof seriesOf>>) =>
    series.find(({ attributes }) => attributes['v8js.gc.type'] === 'minor');
  let series = await seriesOf(registry, 'v8js.gc.duration');
  // How much garbage makes a pause depends on what ran before in the process, and the runtime reports a pause a moment later.
  for (let n = 0; n < 1000 && minorOf(series) === undefined; n++) {
    JSON.parse(JSON.stringify(Array.from({ length: 20_000 }, (_, k) => ({ k }))));
    await sleep(10);
    series = await seriesOf(registry, 'v8js.gc.duration');
  }
  const minor = minorOf(series);
  expect(minor!.histogram.totalCount).toBeGreaterThan(0);
  expect(minor!.max).toBeGreaterThan(0);
  expect(minor!.max).toBeLessThan(1);
  for (const { attributes } of series) {
    expect(['minor', 'major', 'incremental', 'weakcb']).toContain(attributes['v8js.gc.type']);
  }
});

test('the numbers show the resources that the process uses', async () => {
  const beforeSeconds = Date.now() / 1000;
  const numbers = numbersIn(await watch(createRegistry()).families({}));
  const afterSeconds = Date.now() / 1000;
  const { rss } = process.memoryUsage();
  expect(numbers.get('process_resident_memory_bytes')! / rss).toBeCloseTo(1, 0);
  expect(numbers.get('process_cpu_seconds')).toBeCloseTo(
    numbers.get('process_cpu_user_seconds')! + numbers.get('process_cpu_system_seconds')!,
  );
  const nowSeconds = numbers.get('process_start_time_seconds')! + numbers.get('process_uptime_seconds')!;
  // The clock of the wall may have been set by a fraction since the process started.
  expect(nowSeconds).toBeGreaterThan(beforeSeconds - 0.5);
  expect(nowSeconds).toBeLessThan(afterSeconds + 0.5);
  expect(numbers.get('nodejs_heap_size_used_bytes')).toBeLessThanOrEqual(
    numbers.get('nodejs_heap_size_total_bytes')!,
  );
  expect(numbers.get('nodejs_heap_space_size_used_bytes old')).toBeGreaterThan(0);
});

testUnless(lackOfFile('/proc/self/status'))(
  'on Linux it shows its file descriptors and its virtual memory',
  async () => {
    const numbers = numbersIn(await watch(createRegistry()).families({}));
    expect(numbers.get('process_open_fds')).toBeGreaterThan(2);
    expect(numbers.get('process_max_fds')).toBeGreaterThan(numbers.get('process_open_fds')!);
    expect(numbers.get('process_virtual_memory_bytes')).toBeGreaterThan(
      numbers.get('process_resident_memory_bytes')!,
    );
  },
);

test('all families can be exposed, each once and under its own name', async () => {
  const metrics = watch();
  await sleep(30);
  const families = await metrics.families({});
  const text = rendered(families, 'openmetrics');
  const names = families.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  expect(text).toContain('process_cpu_seconds_total ');
  expect(text).toContain(`nodejs_version_info{version="${process.version}"`);
  expect(text).toMatch(/\nnodejs_eventloop_delay_seconds_count [1-9]/);
});

test('without a registry, families contains the histograms too, named by the options', async () => {
  const families = await watch().families({ prefix: 'app' });
  expect(families.map(({ name }) => name)).toContain('app_nodejs_eventloop_delay_seconds');
});

test('nothing counts after stop', async () => {
  const registry = createRegistry();
  const metrics = watch(registry, { eventLoopIntervalMs: 1 });
  await sleep(20);
  metrics.close();
  const [before] = await seriesOf(registry, 'nodejs.eventloop.delay');
  await sleep(20);
  const [after] = await seriesOf(registry, 'nodejs.eventloop.delay');
  expect(before!.histogram.totalCount).toBeGreaterThan(0);
  expect(after!.histogram.totalCount).toBe(before!.histogram.totalCount);
});

test('the measurements do not keep a process alive', () => {
  const before = process.getActiveResourcesInfo();
  watch();
  expect(process.getActiveResourcesInfo()).toEqual(before);
});

test.each([0, 0.5, Number.NaN, -1])('an interval of %p ms is refused', (eventLoopIntervalMs) => {
  expect(() => collectDefaultMetrics(createRegistry(), { eventLoopIntervalMs })).toThrow(
    'eventLoopIntervalMs must be an integer of at least 1',
  );
});
