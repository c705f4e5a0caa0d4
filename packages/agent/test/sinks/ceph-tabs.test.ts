import {
  type Axis,
  askAdminSocket,
  type ImportedHistogram,
  PerfHistogram,
  parseHistogramDump,
} from '@hdrscope/ceph';
import type { DashboardTab } from '@hdrscope/dashboard';
import type { HeatMapPlot, Plot } from '@hdrscope/plot';
import { LATENCY, SIZE } from '@hdrscope/testing/osd';
import { cephTabs, type OverTimeOfCounters } from '../../src/sinks/ceph-tabs.ts';
import { configOf, until, urlIn, useWorld } from '../support/agents.ts';
import { serveOsd } from '../support/perf-daemons.ts';

const world = useWorld();

const WRITES = 'op_w_latency_in_bytes_histogram';

function writes(...values: readonly (readonly [latency: number, size: number])[]): PerfHistogram {
  const histogram = new PerfHistogram([LATENCY, SIZE]);
  for (const [latency, size] of values) histogram.record(latency, size);
  return histogram;
}

const source = (name: string, path: string): string => `  - { name: ${name}, type: ceph, socket: ${path} }\n`;

const configuration = (...sources: readonly string[]): string =>
  `sources:\n${sources.join('')}sinks: [{ type: dashboard, listen: 'localhost:0' }]`;

/** The tab of Ceph that the live page gets, once the tab passes the check. */
async function tabOf(url: string, isSo: (plots: readonly Plot[]) => boolean): Promise<readonly Plot[]> {
  const response = await fetch(`${url}events?tab=Ceph`, { signal: AbortSignal.timeout(20_000) });
  let text = '';
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    const last = [...text.matchAll(/^event: tab\ndata: (.*)\n\n/gm)].at(-1);
    const { plots } = JSON.parse(last?.[1] ?? '{"plots":[]}') as DashboardTab;
    if (isSo(plots)) return plots;
  }
  throw new Error('the events have ended');
}

const everyHeatMap = (plots: readonly Plot[]): readonly HeatMapPlot[] =>
  plots.filter((plot) => plot.kind === 'heat-map');
/** The heat maps of two axes of a counter. */
const heatMapsOf = (plots: readonly Plot[]): readonly HeatMapPlot[] =>
  everyHeatMap(plots).filter(({ x }) => x.unit !== 'time');

/** Waits for a tab with a number of heat maps. */
async function heatMaps(count: number): Promise<readonly HeatMapPlot[]> {
  const url = urlIn(world.lines, 'dashboard');
  return heatMapsOf(await tabOf(url, (plots) => heatMapsOf(plots).length === count));
}

/** The heat maps of one daemon, without a page. */
async function mapsOf(counters: Readonly<Record<string, PerfHistogram>>): Promise<readonly Plot[]> {
  const path = await serveOsd(world, 'osd.0', counters);
  const dump = parseHistogramDump(await askAdminSocket(path, 'perf histogram dump'));
  return cephTabs(new Map([['osd.0', { latest: dump }]]), new Map(), 0).flatMap(({ plots }) => plots);
}

test("a counter with two axes is a heat map of the daemon's dump, before the bars of each axis", async () => {
  const path = await serveOsd(world, 'osd.0', {
    [WRITES]: writes([150_000, 600], [150_000, 700], [9e9, 4096]),
  });
  await world.start(configuration(source('osd.0', path)));

  const plots = await tabOf(urlIn(world.lines, 'dashboard'), ({ length }) => length === 3);

  expect(plots.map(({ kind }) => kind)).toEqual(['heat-map', 'bars', 'bars']);
  const [{ x, y, counts, ...rest }] = plots as [HeatMapPlot];
  expect(rest).toEqual({
    kind: 'heat-map',
    title: `osd.${WRITES} of osd.0`,
    subtitle: '3 values since the daemon began',
    countName: 'values',
  });
  expect([x.name, x.unit, y.name, y.unit]).toEqual(['Request size', 'bytes', 'Latency', 'ns']);
  // The daemon's first axis is the latency, which goes from bottom to top.
  const dump = JSON.parse(await askAdminSocket(path, 'perf histogram dump'));
  expect(counts).toEqual(dump.osd[WRITES].values);
});

test('daemons with equal axes share a heat map, and other daemons have their own', async () => {
  const wide: Axis = { ...SIZE, buckets: 16 };
  const other = new PerfHistogram([LATENCY, wide]);
  other.record(150_000, 600);
  const sources = [
    source('osd.0', await serveOsd(world, 'osd.0', { [WRITES]: writes([150_000, 600], [9e9, 0]) })),
    source('osd.1', await serveOsd(world, 'osd.1', { [WRITES]: writes([150_000, 600], [1, 1]) })),
    source('osd.2', await serveOsd(world, 'osd.2', { [WRITES]: other })),
  ];
  await world.start(configuration(...sources));

  const [both, single] = await heatMaps(2);

  expect([both!.title, both!.subtitle]).toEqual([
    `osd.${WRITES} of osd.0, osd.1`,
    '4 values together, since the daemons began',
  ]);
  const [latencies, sizes] = writes().layouts;
  const cell = ({ counts }: HeatMapPlot, latency: number, size: number): number =>
    counts[latencies!.slotOf(latency)]![sizes!.slotOf(size)]!;
  expect([cell(both!, 150_000, 600), cell(both!, 9e9, 0), cell(both!, 1, 1)]).toEqual([2, 1, 1]);
  expect([single!.title, single!.x.slots.length]).toEqual([`osd.${WRITES} of osd.2`, 16]);
});

test('a counter with one informative axis, no counts, or too many cells has no heat map', async () => {
  const one: Axis = { ...SIZE, buckets: 1 };
  const flat = new PerfHistogram([LATENCY, one]);
  flat.record(150_000, 600);
  const fine: Axis = { name: 'x', scale: 'linear', min: 0, quantSize: 1, buckets: 200 };
  const huge = new PerfHistogram([fine, fine]);
  huge.record(5, 5);
  const counters = { flat, empty: writes(), huge, [WRITES]: writes([150_000, 600]) };

  const maps = await mapsOf(counters);

  expect(maps.map(({ title }) => title)).toEqual([`osd.${WRITES} of osd.0`]);
});

test('shows the counters with the largest counts, largest first', async () => {
  const counters = Object.fromEntries(
    Array.from({ length: 14 }, (_, at) => {
      const histogram = writes();
      histogram.addAt([2, 3], 4 ** at);
      return [`counter_${at}`, histogram];
    }),
  );

  const maps = await mapsOf(counters);

  expect(maps.map(({ title }) => title)).toEqual(
    Array.from({ length: 12 }, (_, at) => `osd.counter_${13 - at} of osd.0`),
  );
});

test('a heat map grows with its daemon, and disappears with its source', async () => {
  const [first, second] = [writes([150_000, 600]), writes([150_000, 600])];
  const sourceOf0 = source('osd.0', await serveOsd(world, 'osd.0', { [WRITES]: first }));
  const sourceOf1 = source('osd.1', await serveOsd(world, 'osd.1', { [WRITES]: second }));
  const agent = await world.start(configuration(sourceOf0, sourceOf1));
  const url = urlIn(world.lines, 'dashboard');
  const subtitleIs = (subtitle: string) => (plots: readonly Plot[]) =>
    heatMapsOf(plots)[0]?.subtitle === subtitle;
  await tabOf(url, subtitleIs('2 values together, since the daemons began'));

  second.record(150_000, 600);
  await tabOf(url, subtitleIs('3 values together, since the daemons began'));
  await agent.reload(() => configOf(configuration(sourceOf1)));

  const plots = await tabOf(url, subtitleIs('2 values since the daemon began'));
  expect(heatMapsOf(plots).map(({ title }) => title)).toEqual([`osd.${WRITES} of osd.1`]);
  // The counts of the families stay.
  await until('both are counted', async () => {
    const { families } = await agent.registry.gather();
    return families.some(({ series }) => series.some(({ histogram }) => histogram.totalCount === 3));
  });
});

test('latencies over time are the counts of each few seconds, of all daemons, across restarts', () => {
  const imported = (daemon: string, histogram: PerfHistogram): ImportedHistogram => ({
    daemon,
    logger: 'osd',
    counter: WRITES,
    histogram: histogram.copy(),
    unitSources: ['known', 'name'],
    sums: undefined,
    notes: [],
  });
  const [one, two] = [writes([150_000, 600], [150_000, 600]), writes()];
  const overTime: OverTimeOfCounters = new Map();
  const show = (nowMs: number): HeatMapPlot[] => {
    const dump = [imported('osd.0', one), imported('osd.1', two)];
    const [tab] = cephTabs(new Map([['all', { latest: dump }]]), overTime, nowMs);
    return everyHeatMap(tab!.plots).filter(({ x }) => x.unit === 'time');
  };
  const columns = ([plot]: HeatMapPlot[]): [from: number, to: number, counts: Record<string, number>][] =>
    plot!.x.slots.map(({ lower, upper }, at) => [
      lower,
      upper,
      Object.fromEntries(
        plot!.y.slots.flatMap(({ lower: ns }, row) =>
          plot!.counts[row]![at] === 0 ? [] : [[ns, plot!.counts[row]![at]!]],
        ),
      ),
    ]);

  // The values before the first look have no known time.
  expect(show(1000)).toEqual([]);
  one.record(150_000, 4096);
  two.record(900_000, 4096);
  expect(columns(show(3000))).toEqual([[1000, 3000, { 100000: 1, 800000: 1 }]]);
  two.record(900_000, 4096);
  expect(columns(show(6000))).toEqual([[1000, 6000, { 100000: 1, 800000: 2 }]]);
  one.reset();
  one.record(150_000, 4096);
  const later = show(9000);
  expect(columns(later)).toEqual([
    [1000, 6000, { 100000: 1, 800000: 2 }],
    [6000, 9000, { 100000: 1 }],
  ]);
  expect(later[0]).toMatchObject({
    title: `Latency of osd.${WRITES} of osd.0, osd.1, over time`,
    y: { name: 'Latency', unit: 'ns' },
  });
  for (let at = 0; at < 100; at++) show(10_000 + at * 6000);
  expect(show(700_000)[0]).toBeUndefined();
  one.record(150_000, 4096);
  expect(show(706_000)[0]!.x.slots).toHaveLength(60);
});
