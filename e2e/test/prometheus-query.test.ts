import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { describeWithPeers } from '@hdrscope/testing';
import { stopPeers, waitFor } from './support/peer-process.ts';
import { type Prometheus, startPrometheus } from './support/prometheus.ts';
import { startTargets } from './support/prometheus-targets.ts';
import { durations } from './support/sampling.ts';

const COMMAND = join(import.meta.dirname, '../../packages/cli/bin/hdrscope.js');
const ROUTES = ['/cart', '/pay'];
const VALUES = 400;

const run = promisify(execFile);

interface Answer {
  readonly groups: readonly {
    readonly unit: string;
    readonly attributes: Readonly<Record<string, string>>;
    readonly startSec: number | null;
    readonly count: number;
    readonly mean: { lower: number; upper: number };
    readonly percentiles: readonly { percentile: number; lower: number; upper: number }[];
  }[];
}

/** What the command prints on standard output and on standard error. */
async function query(
  url: string,
  metric: string,
  ...options: string[]
): Promise<{ json: Answer; notes: string }> {
  const args = ['query', '--prometheus', url, '--metric', metric, ...options, '--json'];
  const { stdout, stderr } = await run(process.execPath, [COMMAND, ...args], { timeout: 60_000 });
  return { json: JSON.parse(stdout), notes: stderr };
}

async function refusal(...args: string[]): Promise<{ code: number; text: string }> {
  try {
    const { stdout } = await run(process.execPath, [COMMAND, 'query', ...args], { timeout: 60_000 });
    return { code: 0, text: stdout };
  } catch (error) {
    const { code, stderr } = error as { code: number; stderr: string };
    return { code, text: stderr };
  }
}

/** Waits until Prometheus has stored a state of both histograms with so many values of a route. */
async function waitForCount(
  prometheus: Prometheus,
  route: string,
  count: number,
  client = count,
): Promise<void> {
  const selector = `{route="${route}"}`;
  const read = async () => [
    (await prometheus.queryNow(`histogram_count(hdr_duration_seconds${selector})`))[0]?.value,
    (await prometheus.queryNow(`client_duration_seconds_count${selector}`))[0]?.value,
  ];
  await waitFor(
    async () => {
      const [native, classic] = await read();
      return native === count && classic === client;
    },
    { what: `${count} values of ${route}` },
  );
}

const CLASSIC = 'client_duration_seconds';
const NATIVE = 'hdr_duration_seconds';

describe.each([
  ['prometheus-2', [CLASSIC], [NATIVE]],
  ['prometheus-3', [CLASSIC, NATIVE], []],
] as const)('%s', (name, metrics, withheld) => {
  describeWithPeers([name])('is asked by hdrscope query --prometheus', () => {
    afterAll(stopPeers);

    test('and each value of the time that is asked for counts once, in bounds that hold it', async () => {
      const targets = await startTargets();
      const prometheus = await startPrometheus(name, targets.targets);
      const { url } = prometheus;
      for (const [at, route] of ROUTES.entries()) targets.record(route, durations(VALUES, at));
      for (const route of ROUTES) await waitForCount(prometheus, route, VALUES);
      await sleep(1100);
      const since = Date.now();
      const wanted = new Map(ROUTES.map((route, at) => [route, durations(VALUES + at, 10 + at)]));
      for (const [route, values] of wanted) targets.record(route, values);
      for (const [route, values] of wanted) await waitForCount(prometheus, route, VALUES + values.length);
      const until = Date.now();
      await sleep(600);
      for (const route of ROUTES) targets.record(route, durations(VALUES, 20));
      for (const [route, values] of wanted) await waitForCount(prometheus, route, 2 * VALUES + values.length);

      const span = ['--since', String(since / 1000), '--until', String(until / 1000)];
      for (const metric of metrics) {
        const { json, notes } = await query(url, metric, '--by', 'route', ...span);
        expect(notes).toBe('');
        const groups = new Map(json.groups.map((group) => [group.attributes.route, group]));
        expect([...groups.keys()].sort()).toEqual(ROUTES);
        for (const [route, values] of wanted) {
          const group = groups.get(route)!;
          expect(group.count).toBe(values.length);
          const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
          expect([group.unit, group.mean.lower]).toEqual(['ms', expect.closeTo(1000 * mean, 6)]);
          const sorted = values.toSorted((a, b) => a - b);
          for (const { percentile, lower, upper } of group.percentiles) {
            const value = 1000 * sorted[Math.max(Math.ceil((percentile / 100) * sorted.length) - 1, 0)]!;
            expect([percentile, lower <= value && value <= upper]).toEqual([percentile, true]);
          }
        }
        const [one] = (await query(url, metric, '--where', 'route=/pay', ...span)).json.groups;
        expect(one!.count).toBe(VALUES + 1);
      }

      for (const metric of withheld) {
        expect(await refusal('--prometheus', url, '--metric', metric, ...span)).toEqual({
          code: 1,
          text: expect.stringContaining('its remote read sends no samples of them; Prometheus sends native'),
        });
      }

      // A process that begins anew counts from 0. What came before and after is there, each once.
      targets.restartClient();
      const again = durations(30, 30);
      targets.record('/cart', again);
      await waitForCount(prometheus, '/cart', 3 * VALUES + again.length, again.length);
      const now = ['--since', String(since / 1000), '--where', 'route=/cart'];
      const { json } = await query(url, CLASSIC, ...now);
      expect(json.groups.map(({ count }) => count)).toEqual([2 * VALUES + again.length]);

      // Series that are first seen in this time had counted before, or not.
      targets.record('/new', durations(7, 40));
      await waitForCount(prometheus, '/new', 7);
      targets.record('/new', durations(5, 41));
      await waitForCount(prometheus, '/new', 12);
      const later = await query(url, CLASSIC, '--since', String(since / 1000), '--by', 'route');
      expect(later.json.groups.find(({ attributes }) => attributes.route === '/new')?.count).toBe(5);
      expect(later.notes).toMatch(/^hdrscope: 7 values of series that came later are left out/);
      await targets.stop();
    });

    test('and refuses a metric that is not there, with those that are', async () => {
      const targets = await startTargets();
      const { url, queryNow } = await startPrometheus(name, targets.targets);
      targets.record('/pay', [0.1]);
      await waitFor(
        async () => (await queryNow('{__name__=~"(client|hdr)_duration_seconds(_count)?"}')).length > 1,
        {
          what: 'a scrape',
        },
      );
      const { host } = new URL(url);
      expect(await refusal('--prometheus', url)).toEqual({
        code: 2,
        text: expect.stringContaining(
          `--prometheus goes with --metric: ${host} has client_duration_seconds, hdr_`,
        ),
      });
      expect(await refusal('--prometheus', url, '--metric', 'client_duration_seconds_bucket')).toEqual({
        code: 1,
        text: expect.stringContaining('--metric client_duration_seconds asks for all of it'),
      });
      expect(await refusal('--prometheus', `${url}/nowhere`, '--metric', 'hdr_duration_seconds')).toEqual({
        code: 1,
        text: expect.stringContaining(`remote read at ${host} failed: it answers with status 404`),
      });
      await targets.stop();
    });
  });
});
