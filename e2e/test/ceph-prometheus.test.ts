import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { askAdminSocket, axisRanges, type ImportedHistogram, parseHistogramDump } from '@hdrscope/ceph';
import { isInstalled } from '@hdrscope/testing';
import { readHistogram } from './prometheus-text.ts';
import { type CephCluster, describeWithCephCluster, startCephCluster } from './support/ceph-cluster.ts';
import {
  createFolder,
  freePort,
  type PeerProcess,
  startPeer,
  stopPeers,
  waitFor,
} from './support/peer-process.ts';
import { type Prometheus, startPrometheus } from './support/prometheus.ts';

// An agent reads all sockets of a folder, as on a machine with OSDs. What Prometheus gets is compared with what the OSDs count themselves.

const KINDS = {
  op_r_latency_out_bytes_histogram: { latency: 'op_r_latency', bytes: 'op_r_out_bytes' },
  op_w_latency_in_bytes_histogram: { latency: 'op_w_latency', bytes: 'op_w_in_bytes' },
  op_rw_latency_in_bytes_histogram: { latency: 'op_rw_latency', bytes: 'op_rw_in_bytes' },
  op_rw_latency_out_bytes_histogram: { latency: 'op_rw_latency', bytes: 'op_rw_out_bytes' },
} as const;
type Counter = keyof typeof KINDS;
const WRITES = 'ceph_osd_op_w_latency_in_bytes_latency_seconds';
const COMMAND = join(import.meta.dirname, '../../packages/cli/bin/hdrscope.js');
const DEADLINE_SECONDS = 500;
/** What the command prints when it serves. */
const ADDRESS = /http:\S+:(\d+)\/metrics$/m;
const PROMETHEUS = 'prometheus-3';
/** Later than the gather that scrapes share. */
const FRESH_MS = 250;

type Numbers = Readonly<Record<string, number | { readonly avgcount: number; readonly sum: number }>>;

/** What a histogram counts: its slots on one axis, by their upper bounds, and the sum of its values. */
interface Distribution {
  readonly count: number;
  readonly sum: number;
  readonly buckets: readonly (readonly [le: number, count: number])[];
}

let cluster: CephCluster;
let agent: PeerProcess;
let url: string;
let prometheus: Prometheus | undefined;

const socketOf = (osd: number): string => join(cluster.sockets, `ceph-osd.${osd}.asok`);
const ask = (osd: number, prefix: string, args = {}): Promise<string> =>
  askAdminSocket(socketOf(osd), prefix, args);
const numbers = async (osd: number): Promise<Numbers> =>
  JSON.parse(await ask(osd, 'perf dump', { logger: 'osd' })).osd;
const writesOf = async (osd: number): Promise<number> => (await numbers(osd)).op_w as number;
const bench = (...args: readonly string[]): Promise<string> => cluster.rados('bench', ...args);

/** Starts `hdrscope`, which prints the address that it serves. */
async function startHdrscope(...args: readonly string[]): Promise<PeerProcess> {
  return startPeer('env', [`CEPH_CONF=${cluster.command.config}`, process.execPath, COMMAND, ...args], {
    folder: await createFolder(),
    isReady: (output) => ADDRESS.test(output),
    deadlineSeconds: DEADLINE_SECONDS,
  });
}

/** All that the agent shows now. */
async function scrape(): Promise<string> {
  await sleep(FRESH_MS);
  const answer = await fetch(url);
  expect(answer.status).toBe(200);
  return answer.text();
}

/** The writes of each OSD on a page. */
function writesOn(page: string): Record<string, number> {
  return Object.fromEntries(
    readHistogram(page, WRITES).map(({ labels, count }) => [labels.replace('ceph_daemon=', ''), count]),
  );
}

/** The name of the metric of an axis. */
function metricOf(counter: string, axis: number): string {
  const name = `ceph_osd_${counter.replace('_histogram', '')}`;
  return `${name}_${axis === 0 ? 'latency_seconds' : 'request_size_bytes'}`;
}

/** What an OSD itself has counted, in the unit of the metric. */
function truthOf({ counter, histogram }: ImportedHistogram, axis: number, own: Numbers): Distribution {
  const { counts } = histogram.marginal(axis);
  const scale = axis === 0 ? 1e9 : 1;
  let count = counts.at(0);
  const buckets = axisRanges(histogram.axes[axis]!)
    .slice(1)
    .map(({ max }, at): [number, number] => {
      count += counts.at(at + 1);
      return [max === undefined ? Number.POSITIVE_INFINITY : Number(max) / scale, count];
    });
  const { latency, bytes } = KINDS[counter as Counter];
  const { sum } = own[latency] as { sum: number };
  return { count: counts.total, sum: axis === 0 ? sum : (own[bytes] as number), buckets };
}

/** The cumulative count at a bound that a page need not have: those of empty slots at the end. */
function countAt(buckets: Distribution['buckets'], bound: number): number {
  return buckets.find(([le]) => le >= bound * (1 - 1e-12))?.[1] ?? Number.NaN;
}

/** The difference of two distributions of one histogram. */
function since(now: Distribution, then: Distribution | undefined): Distribution {
  if (then === undefined) return now;
  return {
    count: now.count - then.count,
    sum: now.sum - then.sum,
    buckets: now.buckets.map(([le, count]) => [le, count - countAt(then.buckets, le)]),
  };
}

type Pages = ReadonlyMap<string, Distribution>;

/** All histograms of a page, by metric and OSD. */
function distributionsOn(page: string): Pages {
  const found = Object.keys(KINDS).flatMap((counter) =>
    [0, 1].flatMap((axis) => {
      const name = metricOf(counter, axis);
      return readHistogram(page, name).map(
        ({ labels, ...one }) => [`${name} ${labels.replace('ceph_daemon=', '')}`, one] as const,
      );
    }),
  );
  return new Map(found);
}

/** Compares what came since an earlier page with what an OSD has counted since it began anew, at rest. */
async function expectEqual(osd: number, page: string, then: Pages = new Map()): Promise<number> {
  const [dumped, own] = [parseHistogramDump(await ask(osd, 'perf histogram dump')), await numbers(osd)];
  const shown = distributionsOn(page);
  let compared = 0;
  for (const imported of dumped) {
    for (const axis of [0, 1]) {
      const key = `${metricOf(imported.counter, axis)} osd.${osd}`;
      const truth = truthOf(imported, axis, own);
      const now = shown.get(key);
      // A histogram without counts has no series.
      if (now === undefined) {
        expect([key, truth.count]).toEqual([key, 0]);
        continue;
      }
      const { count, sum, buckets } = since(now, then.get(key));
      expect([key, count, buckets.at(-1)]).toEqual([
        key,
        truth.count,
        [Number.POSITIVE_INFINITY, truth.count],
      ]);
      for (const [le, expected] of truth.buckets)
        expect([key, le, countAt(buckets, le)]).toEqual([key, le, expected]);
      for (const [le] of buckets)
        expect(truth.buckets.some(([bound]) => Math.abs(bound / le - 1) < 1e-12 || bound === le)).toBe(true);
      expect(sum).toBeCloseTo(truth.sum, axis === 0 ? 7 : 0);
      compared += buckets.length;
    }
  }
  return compared;
}

/** Objects whose only copy is on an OSD. */
async function objectsOn(osd: number, count: number, pool: string): Promise<string[]> {
  const names: string[] = [];
  for (let at = 0; names.length < count; at++) {
    const place = await cluster.ceph('osd', 'map', pool, `object-${at}`, '--format', 'json');
    if ((JSON.parse(place) as { acting_primary: number }).acting_primary === osd) names.push(`object-${at}`);
  }
  return names;
}

describeWithCephCluster('the OSDs of a machine in Prometheus', () => {
  beforeAll(async () => {
    cluster = await startCephCluster({ isSecondIdle: false, areSocketsTogether: true });
    const port = await freePort();
    if (isInstalled(PROMETHEUS)) {
      prometheus = await startPrometheus(PROMETHEUS, [`127.0.0.1:${port}`], {
        isOtlpReceiver: true,
        jobs: [{ job_name: 'classic' }, { job_name: 'custom', convert_classic_histograms_to_nhcb: true }],
      });
    }
    const config = join(cluster.folder, 'hdrscope.yaml');
    const otlp = `
  - type: otlp
    url: ${prometheus?.url}/api/v1/otlp/v1/metrics
    histograms: explicit
    interval: 500ms
    timeout: 500ms
    resource: { service.name: otlp }`;
    await writeFile(
      config,
      `sources:
  - { name: osds, type: ceph, socket: ${cluster.sockets} }
sinks:
  - { type: prometheus, listen: '127.0.0.1:${port}', buckets: classic }${prometheus === undefined ? '' : otlp}
`,
    );
    agent = await startHdrscope('run', config);
    url = `http://127.0.0.1:${port}/metrics`;
  });

  afterAll(stopPeers);

  test('at rest, every bucket, count and sum of both axes is that of the OSD', async () => {
    await bench('2', 'write', '-b', '4096', '-t', '4', '--no-cleanup', '--run-name', 'small');
    await bench('1', 'write', '-b', '131072', '-t', '2', '--no-cleanup', '--run-name', 'large');
    await bench('1', 'seq', '-t', '4', '--run-name', 'small');
    const page = await scrape();
    const compared = [await expectEqual(0, page), await expectEqual(1, page)];
    console.log(`buckets compared: ${compared}; writes: ${JSON.stringify(writesOn(page))}`);
    expect(Math.min(...compared)).toBeGreaterThan(50);
    expect(page).not.toContain('the sum is an estimate');
    for (const osd of [0, 1]) {
      const [, age] = new RegExp(
        `^hdrscope_ceph_answer_age_seconds\\{ceph_daemon="osd.${osd}"\\} (\\S+)$`,
        'm',
      ).exec(page)!;
      expect(Number(age)).toBeLessThan(1);
      // The first pool of a cluster.
      expect(page).toContain(`hdrscope_ceph_mapped_pool{ceph_daemon="osd.${osd}",pool_id="1"} 1\n`);
    }
  });

  test('under load, each count lies between the counters before and after the scrape', async () => {
    let isOver = false;
    const over = bench('3', 'write', '-b', '4096', '-t', '4', '--no-cleanup').finally(() => {
      isOver = true;
    });
    let scrapes = 0;
    let last = 0;
    while (!isOver) {
      const before = await writesOf(0);
      await sleep(FRESH_MS);
      // The scrape of Prometheus may share its reading with this one.
      const [earlier, page] = [await writesOf(0), await (await fetch(url)).text()];
      const after = await writesOf(0);
      const shown = writesOn(page)['osd.0']!;
      expect(shown).toBeGreaterThanOrEqual(before);
      expect(shown).toBeLessThanOrEqual(after);
      expect(shown).toBeGreaterThanOrEqual(last);
      expect(earlier).toBeGreaterThanOrEqual(before);
      last = shown;
      scrapes++;
    }
    await over;
    console.log(`under load: ${scrapes} scrapes between counters`);
    const page = await scrape();
    await expectEqual(0, page);
    await expectEqual(1, page);
  });

  test('Prometheus has them as classic and as native histograms with the bounds of Ceph, and by OTLP', async () => {
    if (prometheus === undefined) return console.log(`skipped: ${PROMETHEUS} is not installed`);
    const { queryNow } = prometheus;
    const [osd] = parseHistogramDump(await ask(0, 'perf histogram dump')).filter(({ counter }) =>
      counter.startsWith('op_w_'),
    );
    const own = await numbers(0);
    for (const axis of [0, 1]) {
      const truth = truthOf(osd!, axis, own);
      const name = metricOf(osd!.counter, axis);
      const at = (job: string): string => `{job="${job}", ceph_daemon="osd.0"}`;
      for (const job of ['classic', 'otlp']) {
        const samples = await waitFor(
          async () => {
            const found = await queryNow(`${name}_bucket${at(job)}`);
            const all = found.find(({ labels }) => labels.le === '+Inf');
            return all?.value === truth.count && found;
          },
          { what: `${name} of ${job}` },
        );
        const buckets = samples.map(({ labels, value }): [number, number] => [
          Number(labels.le!.replace('+Inf', 'Infinity')),
          value!,
        ]);
        buckets.sort(([a], [b]) => a - b);
        for (const [le, expected] of truth.buckets)
          expect([job, name, le, countAt(buckets, le)]).toEqual([job, name, le, expected]);
        const [sum] = await queryNow(`${name}_sum${at(job)}`);
        expect(sum!.value).toBeCloseTo(truth.sum, axis === 0 ? 7 : 0);
      }
      const native = await waitFor(
        async () => {
          const [found] = await queryNow(`${name}${at('custom')}`);
          return found?.histogram?.count === truth.count && found.histogram;
        },
        { what: `${name} with custom buckets` },
      );
      let below = 0;
      for (const { upper, count } of native.buckets) {
        below += count;
        expect([name, upper, below]).toEqual([name, upper, countAt(truth.buckets, upper)]);
      }
      expect(below).toBe(truth.count);
      expect(native.sum).toBeCloseTo(truth.sum, axis === 0 ? 7 : 0);
    }
  });

  test('a perf reset at rest loses nothing: what comes later is added', async () => {
    const before = distributionsOn(await scrape());
    for (const osd of [0, 1]) await ask(osd, 'perf reset', { var: 'all' });
    await scrape();
    await bench('1', 'write', '-b', '8192', '-t', '4', '--no-cleanup');
    const page = await scrape();
    await expectEqual(0, page, before);
    await expectEqual(1, page, before);
  });

  test('resets under load: counts never fall, and go on as those of the OSD', async () => {
    let isOver = false;
    const over = bench('4', 'write', '-b', '4096', '-t', '8', '--no-cleanup').finally(() => {
      isOver = true;
    });
    let last: Record<string, number> = {};
    let resets = 0;
    while (!isOver) {
      await ask(0, 'perf reset', { var: 'osd' });
      resets++;
      const counts = writesOn(await scrape());
      for (const [name, count] of Object.entries(last)) expect(counts[name]).toBeGreaterThanOrEqual(count);
      last = counts;
    }
    await over;
    // One more reset at rest, after which histogram and counters agree.
    await scrape();
    await ask(0, 'perf reset', { var: 'osd' });
    const before = distributionsOn(await scrape());
    await bench('1', 'write', '-b', '4096', '-t', '4', '--no-cleanup');
    console.log(`${resets} resets under load, ${last['osd.0']} writes of osd.0`);
    await expectEqual(0, await scrape(), before);
  });

  test('an OSD that hangs delays one scrape by a second; the others go on, and it is counted when it is back', async () => {
    const [free] = await objectsOn(0, 1, 'test');
    const file = join(cluster.folder, 'object');
    await writeFile(file, Buffer.alloc(4096, 'x'));
    const before = writesOn(await scrape());
    cluster.osds[1]!.signal('SIGSTOP');
    const times: number[] = [];
    let page = '';
    try {
      for (let turn = 1; turn <= 4; turn++) {
        await cluster.rados('put', free!, file);
        const expected = { 'osd.0': before['osd.0']! + turn, 'osd.1': before['osd.1'] };
        // The scrape may get the answers of a reading that began before, and waits for the OSD that hangs.
        for (let attempt = 1; attempt <= 2; attempt++) {
          const startMs = performance.now();
          page = await scrape();
          times.push(performance.now() - startMs - FRESH_MS);
          if (writesOn(page)['osd.0'] === expected['osd.0']) break;
        }
        expect(writesOn(page)).toEqual(expected);
      }
      console.log(`scrapes while an OSD hangs: ${times.map((ms) => `${ms.toFixed(0)} ms`)}`);
      expect(Math.max(...times)).toBeLessThan(3000);
      // Prometheus has waited for it, too: only the first scrape of all waits.
      expect(times.filter((ms) => ms > 900).length).toBeLessThanOrEqual(1);
      const [, age] = /^hdrscope_ceph_answer_age_seconds\{ceph_daemon="osd.1"\} (\S+)$/m.exec(page)!;
      expect(Number(age)).toBeGreaterThan(1);
      expect(page).toContain('hdrscope_source_errors{source="osds"} 1');
      expect(agent.output()).toContain('source osds has failed: ');
    } finally {
      cluster.osds[1]!.signal('SIGCONT');
    }
    const [slow] = await objectsOn(1, 1, 'test');
    await cluster.rados('put', slow!, file);
    await waitFor(async () => writesOn(await scrape())['osd.1']! > before['osd.1']!, {
      what: 'the OSD is back',
    });
    expect(await scrape()).not.toContain('hdrscope_source_errors{source="osds"}');
  });

  test('an OSD that is killed and starts again is added up: its new counts are all new', async () => {
    const before = distributionsOn(await scrape());
    cluster.osds[1]!.signal('SIGKILL');
    await cluster.osds[1]!.ended();
    const page = await scrape();
    expect(distributionsOn(page)).toEqual(before);
    expect(page).toContain('hdrscope_source_errors{source="osds"} 1');
    await cluster.restartOsd(1);
    // The pool of before has lost its objects.
    await cluster.ceph('osd', 'pool', 'create', 'again', '8');
    await cluster.rados('--pool', 'again', 'bench', '1', 'write', '-b', '4096', '-t', '4', '--no-cleanup');
    const after = await scrape();
    expect(await writesOf(1)).toBeGreaterThan(0);
    await expectEqual(1, after, before);
  });

  test('ceph tell brings the same counts to a machine without sockets, and an OSD that hangs delays one scrape', async () => {
    const args = ['ceph', 'serve', '--tell', 'osd.*', '--ceph', cluster.command.program, '--port', '0'];
    const serving = await startHdrscope(...args);
    const [address] = ADDRESS.exec(serving.output())!;
    const read = async (): Promise<string> => {
      await sleep(FRESH_MS);
      return (await fetch(address, { headers: { 'x-prometheus-scrape-timeout-seconds': '60' } })).text();
    };
    const page = await read();
    await expectEqual(0, page);
    await expectEqual(1, page);

    cluster.osds[1]!.signal('SIGSTOP');
    const times: number[] = [];
    const [free] = await objectsOn(0, 1, 'again');
    const file = join(cluster.folder, 'object');
    await writeFile(file, Buffer.alloc(4096, 'x'));
    const before = writesOn(page);
    try {
      for (let turn = 1; turn <= 3; turn++) {
        await cluster.rados('--pool', 'again', 'put', free!, file);
        const startMs = performance.now();
        const counts = writesOn(await read());
        times.push(performance.now() - startMs);
        expect(counts).toEqual({ 'osd.0': before['osd.0']! + turn, 'osd.1': before['osd.1'] });
      }
    } finally {
      cluster.osds[1]!.signal('SIGCONT');
    }
    console.log(`scrapes by tell while an OSD hangs: ${times.map((ms) => `${ms.toFixed(0)} ms`)}`);
    expect(times.at(-1)!).toBeLessThan(times[0]!);
    await waitFor(async () => !(await read()).includes('hdrscope_source_errors'), {
      what: 'all answer again',
    });
    const back = await read();
    await expectEqual(0, back);
    await expectEqual(1, back);
  });
});
