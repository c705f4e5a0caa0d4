import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import {
  askAdminSocket,
  askHistograms,
  daemonAt,
  type ImportedHistogram,
  type PerfNumber,
  parseHistogramDump,
  parseHistogramSchema,
  type RunningAdminSocket,
  serveAdminSocket,
} from '@hdrscope/ceph';
import type { CephFormat } from '@hdrscope/ceph/internal';
import { readHistogram } from './prometheus-text.ts';
import { type CephCluster, describeWithCephCluster, startCephCluster } from './support/ceph-cluster.ts';
import { stopPeers, waitFor } from './support/peer-process.ts';

// A cluster of two storage daemons under load: our figures are compared with what the daemons report themselves.

const FORMATS: readonly CephFormat[] = ['json', 'json-pretty', 'xml', 'xml-pretty'];
const KINDS = {
  op_r_latency_out_bytes_histogram: { latency: 'op_r_latency', bytes: 'op_r_out_bytes' },
  op_w_latency_in_bytes_histogram: { latency: 'op_w_latency', bytes: 'op_w_in_bytes' },
  op_rw_latency_in_bytes_histogram: { latency: 'op_rw_latency', bytes: 'op_rw_in_bytes' },
} as const;
type Counter = keyof typeof KINDS;
const isCounted = (counter: string): counter is Counter => Object.hasOwn(KINDS, counter);

interface Mean {
  readonly avgcount: number;
  /** Seconds. */
  readonly sum: number;
}
type Numbers = Readonly<Record<string, number | Mean>>;

let cluster: CephCluster;

const socketOf = (osd: number): string => join(cluster.osds[osd]!.folder, `osd.${osd}.asok`);
const folders = (): string[] => cluster.osds.map(({ folder }) => folder);
const dump = async (osd: number): Promise<ImportedHistogram[]> =>
  parseHistogramDump(await askAdminSocket(socketOf(osd), 'perf histogram dump'));
const numbers = async (osd: number): Promise<Numbers> =>
  JSON.parse(await askAdminSocket(socketOf(osd), 'perf dump', { logger: 'osd' })).osd;
const totalOf = ({ histogram }: Pick<ImportedHistogram, 'histogram'>): bigint =>
  histogram.cells.reduce((sum, count) => sum + count, 0n);
const bench = (...args: readonly string[]): Promise<string> => cluster.rados('bench', ...args);

/** The operations of all OSDs so far, by daemon and counter, from the cells of their own dumps. */
async function operations(): Promise<Record<string, Record<Counter, bigint>>> {
  const all = await Promise.all(
    cluster.osds.map(async (_, osd) => {
      const counted = (await dump(osd)).filter(({ counter }) => isCounted(counter));
      return [`osd.${osd}`, Object.fromEntries(counted.map((one) => [one.counter, totalOf(one)]))] as const;
    }),
  );
  return Object.fromEntries(all) as Record<string, Record<Counter, bigint>>;
}

/** {@link operations}, once no OSD counts any more: it may count an operation after the client has its answer. */
async function settledOperations(): ReturnType<typeof operations> {
  let last = await operations();
  for (let i = 0; i < 100; i++) {
    await sleep(300);
    const now = await operations();
    if (isDeepStrictEqual(now, last)) break;
    last = now;
  }
  return last;
}

const COMMAND = join(import.meta.dirname, '../../packages/cli/bin/hdrscope.js');
const DEADLINE_MS = 300_000;

/** Runs `hdrscope` like a user. Its output grows while it runs. */
function start(...args: readonly string[]): { child: ChildProcess; text: () => string; notes: () => string } {
  const child = spawn(process.execPath, [COMMAND, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: DEADLINE_MS,
    killSignal: 'SIGKILL',
    env: { ...process.env, CEPH_CONF: cluster.command.config },
  });
  const [out, err] = [[] as string[], [] as string[]];
  child.stdout!.setEncoding('utf8').on('data', (text: string) => out.push(text));
  child.stderr!.setEncoding('utf8').on('data', (text: string) => err.push(text));
  return { child, text: () => out.join(''), notes: () => err.join('') };
}

interface Latency {
  readonly count: number;
  readonly mean: { readonly lower: number | null; readonly upper: number | null };
  readonly sumSource?: string;
}
interface Interval {
  readonly seconds: number;
  readonly operations: Latency;
  readonly kinds: readonly (Latency & { counter: Counter; sizes: readonly Latency[] })[];
  readonly slowest: readonly (Latency & { daemon: string })[];
  readonly daemons: readonly { name: string; state: string; problem?: string; ageSeconds: number | null }[];
}

const intervalsIn = (text: string): Interval[] =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));

/**
 * The intervals of `ceph top --json` while `work` runs. It begins after the first interval and ends before the last one, so the
 * intervals hold all of it.
 */
async function topDuring(
  args: readonly string[],
  work: (seen: () => readonly Interval[]) => Promise<unknown>,
): Promise<Interval[]> {
  const top = start('ceph', 'top', '--json', '--interval', '500ms', ...args);
  const grown = (least: number): Promise<true> =>
    waitFor(
      () => {
        if (top.child.exitCode !== null) throw new Error(`it has ended: ${top.notes()}`);
        return intervalsIn(top.text()).length >= least;
      },
      { timeoutMs: DEADLINE_MS, what: `${least} intervals` },
    );
  await grown(1);
  await work(() => intervalsIn(top.text()));
  // The interval that is being read when the work ends may have begun before.
  await grown(intervalsIn(top.text()).length + 2);
  const ended = once(top.child, 'exit');
  top.child.kill('SIGINT');
  await ended;
  return intervalsIn(top.text());
}

const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);

/** The counts of all intervals, by daemon and by counter. */
function countsOf(intervals: readonly Interval[]): {
  daemons: Record<string, number>;
  counters: Record<string, number>;
} {
  const of = (rows: readonly (readonly [string, number])[]): Record<string, number> => {
    const all: Record<string, number> = {};
    for (const [key, count] of rows) all[key] = (all[key] ?? 0) + count;
    return all;
  };
  return {
    daemons: of(
      intervals.flatMap(({ slowest }) => slowest.map(({ daemon, count }) => [daemon, count] as const)),
    ),
    counters: of(
      intervals.flatMap(({ kinds }) => kinds.map(({ counter, count }) => [counter, count] as const)),
    ),
  };
}

/** What the OSDs counted between two states, by daemon and by counter, without zeros among the daemons. */
function countedBetween(
  before: Awaited<ReturnType<typeof operations>>,
  after: Awaited<ReturnType<typeof operations>>,
): ReturnType<typeof countsOf> {
  const counters = Object.keys(KINDS) as Counter[];
  const increase = (daemon: string, counter: Counter): number =>
    Number(after[daemon]![counter] - before[daemon]![counter]);
  const names = Object.keys(after);
  const daemons = names.map(
    (name) => [name, sum(counters.map((counter) => increase(name, counter)))] as const,
  );
  return {
    daemons: Object.fromEntries(daemons.filter(([, count]) => count > 0)),
    counters: Object.fromEntries(
      counters.map((counter) => [counter, sum(names.map((name) => increase(name, counter)))]),
    ),
  };
}

describeWithCephCluster('a cluster of Ceph at a glance', () => {
  beforeAll(async () => {
    cluster = await startCephCluster({ isSecondIdle: false });
    await bench('1', 'write', '-b', '4096', '-t', '4', '--no-cleanup');
  });

  afterAll(stopPeers);

  test('top counts exactly the operations that the OSDs count, through a folder of sockets', async () => {
    const before = await settledOperations();
    const intervals = await topDuring(folders(), async () => {
      await Promise.all([
        bench('2', 'write', '-b', '4096', '-t', '4', '--no-cleanup', '--run-name', 'small'),
        bench('2', 'write', '-b', '131072', '-t', '2', '--no-cleanup', '--run-name', 'large'),
      ]);
      await bench('1', 'seq', '-t', '4', '--run-name', 'small');
      await settledOperations();
    });
    const expected = countedBetween(before, await operations());
    const counts = countsOf(intervals);
    console.log(`top in ${intervals.length} intervals: ${JSON.stringify(counts)}`);
    console.log(`the OSDs' own dumps: ${JSON.stringify(expected)}`);

    expect(counts).toEqual(expected);
    expect(Object.keys(counts.daemons)).toHaveLength(2);
    expect(sum(intervals.map((one) => one.operations.count))).toBe(sum(Object.values(expected.counters)));
    for (const { kinds } of intervals) {
      for (const { count, sizes } of kinds) expect(sum(sizes.map((size) => size.count))).toBe(count);
    }
    const busy = intervals.filter(({ operations: { count } }) => count > 0);
    expect(busy.map((one) => one.operations.sumSource)).toContain('perf dump');
  });

  test('top counts exactly the same through ceph tell', async () => {
    const before = await settledOperations();
    const args = ['--tell', '--ceph', cluster.command.program];
    const intervals = await topDuring(args, async () => {
      await bench('2', 'write', '-b', '4096', '-t', '4', '--no-cleanup');
      await settledOperations();
    });
    const expected = countedBetween(before, await operations());
    console.log(`top --tell: ${JSON.stringify(countsOf(intervals))}`);

    expect(countsOf(intervals)).toEqual(expected);
  });

  test('through ceph tell, an OSD that hangs delays one interval, and its age grows until it is back', async () => {
    const before = await settledOperations();
    const args = ['--tell', '--ceph', cluster.command.program];
    const areGone = (all: readonly Interval[]) => all.filter(({ daemons }) => daemons[1]!.state === 'gone');
    const intervals = await topDuring(args, async (seen) => {
      cluster.osds[1]!.signal('SIGSTOP');
      try {
        await waitFor(() => areGone(seen()).length >= 3, { timeoutMs: DEADLINE_MS, what: 'three ages' });
      } finally {
        cluster.osds[1]!.signal('SIGCONT');
      }
      const isBack = () => seen().at(-1)!.daemons[1]!.state === 'counted';
      await waitFor(isBack, { timeoutMs: DEADLINE_MS, what: 'its answer' });
    });
    const firstGone = intervals.findIndex(({ daemons }) => daemons[1]!.state === 'gone');
    const since = intervals.slice(firstGone);
    // On a busy machine, it may be late once more after its return.
    const gone = since.slice(
      0,
      since.findIndex(({ daemons }) => daemons[1]!.state === 'counted'),
    );
    const ages = gone.map(({ daemons }) => daemons[1]!.ageSeconds!);
    const seconds = gone.map((one) => one.seconds);
    console.log(
      `intervals while an OSD hangs: ${seconds.map((one) => one.toFixed(1))} s; ages ${ages.map((age) => age.toFixed(1))} s`,
    );
    expect(ages).toEqual([...ages].sort((one, other) => one - other));
    // The first one waits for it.
    const [first, ...later] = seconds;
    expect(Math.max(...later)).toBeLessThan(first!);
    for (const { daemons } of intervals)
      expect(daemons[0]).toMatchObject({ name: 'osd.0', state: 'counted' });
    expect(intervals.at(-1)!.daemons[1]!.state).toBe('counted');
    expect(await operations()).toEqual(before);
  });

  test('the sums are exactly those of the OSDs, and lie between bounds under load', async () => {
    const busy = bench('3', 'write', '-b', '8192', '-t', '4', '--no-cleanup');
    let isOver = false;
    const over = busy.finally(() => {
      isOver = true;
    });
    const { ask } = daemonAt(socketOf(0));
    const widths: number[] = [];
    let upper = 0;
    while (!isOver) {
      const writes = (await askHistograms(ask, { attempts: 1 })).find(({ counter }) =>
        counter.startsWith('op_w_'),
      )!;
      // An operation that is half counted when it is read has no sums.
      if (writes.measured === undefined) continue;
      const latency = writes.measured[0]!;
      expect(latency.value).toBeGreaterThanOrEqual(latency.lower);
      expect(latency.upper).toBeGreaterThanOrEqual(latency.value);
      // Sums only grow, whatever happens while they are read.
      expect(latency.upper).toBeGreaterThanOrEqual(upper);
      upper = Number(latency.upper);
      widths.push((upper - Number(latency.lower)) / upper);
      await sleep(5);
    }
    await over;
    console.log(
      `sums under load: ${widths.length} readings, at most ${(100 * Math.max(...widths)).toFixed(3)} % wide`,
    );

    for (const osd of cluster.osds.keys()) {
      const own = await numbers(osd);
      for (const { counter, histogram, measured } of await askHistograms(daemonAt(socketOf(osd)).ask)) {
        if (!isCounted(counter)) continue;
        const { avgcount, sum: seconds } = own[KINDS[counter].latency] as Mean;
        const bytes = own[KINDS[counter].bytes] as number;
        expect(histogram.totalCount).toBe(avgcount);
        const exactly = (value: number): object => ({ lower: value, upper: value, value });
        expect(measured).toEqual([exactly(Math.round(seconds * 1e9)), exactly(bytes)]);
      }
    }
  });

  test('Prometheus gets the counts and the sums of each OSD, and of all together', async () => {
    const serving = start('ceph', 'serve', ...folders(), '--merged', '--port', '0');
    try {
      const url = await waitFor(() => /http\S+/.exec(serving.text())?.[0], { what: 'the address' });
      const page = await (await fetch(url)).text();
      const all = await Promise.all([0, 1].map(numbers));
      for (const counter of Object.keys(KINDS) as Counter[]) {
        const name = `ceph_osd_${counter.replace('_histogram', '')}_latency_seconds`;
        const means = all.map((own) => own[KINDS[counter].latency] as Mean);
        const expected = means
          .map(({ avgcount, sum: seconds }, osd) => [`osd.${osd}`, avgcount, seconds] as const)
          .filter(([, count]) => count > 0);
        const series = readHistogram(page, name);
        expect(series.map(({ labels, count }) => [labels, count])).toEqual(
          expected.map(([daemon, count]) => [`ceph_daemon=${daemon}`, count]),
        );
        for (const [at, [, , seconds]] of expected.entries()) expect(series[at]!.sum).toBeCloseTo(seconds, 8);
        if (expected.length === 0) continue;
        const merged = (part: string): number =>
          Number(
            new RegExp(`^${name.replace('ceph_', 'ceph_merged_')}_${part} (\\S+)$`, 'm').exec(page)?.[1],
          );
        expect(merged('count')).toBe(sum(means.map(({ avgcount }) => avgcount)));
        expect(merged('sum')).toBeCloseTo(sum(means.map((mean) => mean.sum)), 8);
      }
      expect(page).not.toContain('the sum is an estimate');
    } finally {
      const ended = once(serving.child, 'exit');
      serving.child.kill('SIGINT');
      await ended;
    }
  });

  test('XML of the OSD is read as its JSON is', async () => {
    const ask = (prefix: string, format: CephFormat): Promise<string> =>
      askAdminSocket(socketOf(0), prefix, { format });
    const [json, schema] = [
      await ask('perf histogram dump', 'json'),
      await ask('perf histogram schema', 'json'),
    ];
    for (const format of ['xml', 'xml-pretty'] as const) {
      expect(parseHistogramDump(await ask('perf histogram dump', format))).toEqual(parseHistogramDump(json));
      expect(parseHistogramSchema(await ask('perf histogram schema', format))).toEqual(
        parseHistogramSchema(schema),
      );
    }
    const answers = await cluster.ceph('tell', 'osd.*', 'perf', 'histogram', 'dump', '--format', 'xml');
    expect(new Set(parseHistogramDump(answers).map(({ daemon }) => daemon))).toEqual(
      new Set(['osd.0', 'osd.1']),
    );
  });

  describe('a server of hdrscope', () => {
    let folder: string;
    let server: RunningAdminSocket;

    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), 'hdrscope-formats-'));
      const osd = async (prefix: string): Promise<Record<string, never>> =>
        JSON.parse(await askAdminSocket(socketOf(0), prefix));
      const [{ version, release, release_type }, { git_version }, help] = [
        await osd('version'),
        await osd('git_version'),
        await osd('help'),
      ];
      const [values, schema] = [await numbers(0), ((await osd('perf schema')) as Record<string, never>).osd!];
      const builtIn = [
        'get_command_descriptions',
        'git_version',
        'help',
        'version',
        'config show',
        'perf dump',
      ];
      const isOwn = (prefix: string): boolean => builtIn.includes(prefix) || /^(perf|counter) /.test(prefix);
      const config = await osd('config show');
      server = await serveAdminSocket({
        path: join(folder, 'shop.asok'),
        version: {
          version: version!,
          release: release!,
          releaseType: release_type!,
          gitVersion: git_version!,
        },
        numbers: () => ({ osd: perfNumbersOf(values, schema) }),
        reset: () => false,
        commands: [
          { prefix: 'config show', help: help['config show']!, run: () => config },
          // The commands of the OSD, for the help.
          ...Object.entries(help)
            .filter(([prefix]) => !isOwn(prefix))
            .map(([prefix, text]) => ({ prefix, help: String(text), run: () => undefined })),
        ],
      });
    });

    afterAll(async () => {
      await server.close();
      rmSync(folder, { recursive: true });
    });

    test.each([
      ['version', {}],
      ['git_version', {}],
      ['config show', {}],
      ['perf dump', { logger: 'osd' }],
      ['perf dump', { logger: 'osd', counter: 'op_w_latency' }],
      ['perf reset', { var: 'nope' }],
      ['0', {}],
    ])('answers %s %j as the OSD does, in all formats', async (prefix, args) => {
      for (const format of FORMATS) {
        const ask = (path: string) => askAdminSocket(path, prefix, { ...args, format });
        // The OSD looks at the load of the machine and at its store every few seconds, and the server at the OSD.
        let [theirs, ours] = ['', 'none'];
        for (let tries = 0; tries < 60 && ours !== theirs; tries++) {
          if (tries > 0) await sleep(500);
          theirs = await ask(socketOf(0));
          ours = await ask(server.path);
        }
        expect({ format, text: ours }).toEqual({ format, text: theirs });
      }
    });

    test('describes its numbers and lists commands in XML as the OSD does', async () => {
      const ask = (path: string, prefix: string): Promise<string> =>
        askAdminSocket(path, prefix, { format: 'xml' });
      const schema = await ask(socketOf(0), 'perf schema');
      const own = (await ask(server.path, 'perf schema')).replace(
        /^<perfcounter_collection>|<\/perfcounter_collection>$/g,
        '',
      );
      expect(schema).toContain(own);

      const [ours, theirs] = await Promise.all([server.path, socketOf(0)].map((path) => ask(path, 'help')));
      // Labelled counters came with a later release.
      expect(ours!.replace(/<counter_(dump|schema)>[^<]*<\/counter_\1>/g, '')).toBe(theirs);
      const descriptions = await ask(socketOf(0), 'get_command_descriptions');
      const [, dumpOfOurs] = /(<sig><arg>perf<\/arg><arg>histogram<\/arg><arg>dump.*?<\/help>)/.exec(
        await ask(server.path, 'get_command_descriptions'),
      )!;
      expect(descriptions).toContain(dumpOfOurs);
    });
  });

  test('an OSD that is reset, and one that is killed, are reported', async () => {
    const reset = await topDuring(folders(), async () => {
      await askAdminSocket(socketOf(0), 'perf reset', { var: 'all' });
      await waitFor(async () => totalOf((await dump(0))[0]!) === 0n, { what: 'a reset' });
    });
    expect(reset.flatMap(({ daemons }) => daemons.filter(({ state }) => state === 'restarted'))).toEqual([
      { name: 'osd.0', state: 'restarted', ageSeconds: 0 },
    ]);

    const killed = await topDuring(folders(), async () => {
      cluster.osds[1]!.signal('SIGKILL');
      await cluster.osds[1]!.ended();
    });
    expect(killed.at(-1)!.daemons).toMatchObject([
      { name: 'osd.0', state: 'counted', ageSeconds: 0 },
      {
        name: 'osd.1',
        state: 'gone',
        ageSeconds: expect.any(Number),
        problem: expect.stringContaining('ECONNREFUSED, nobody listens there'),
      },
    ]);
  });
});

/** The numbers of a daemon, as `serveAdminSocket` takes them. */
function perfNumbersOf(
  values: Numbers,
  schema: Readonly<
    Record<string, { type: number; description: string; nick: string; priority: number; units: 'none' }>
  >,
): Record<string, PerfNumber> {
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([name]) => values[name] !== undefined)
      .map(([name, { type, description, nick, priority, units }]): [string, PerfNumber] => {
        const text = { description, nick, priority, units, real: (type & 1) !== 0 };
        const value = values[name]!;
        if (typeof value === 'object')
          return [name, { ...text, kind: 'average', count: value.avgcount, sum: value.sum }];
        return [name, { ...text, kind: (type & 8) === 0 ? 'gauge' : 'counter', value }];
      }),
  );
}
