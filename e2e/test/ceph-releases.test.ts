import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import {
  askAdminSocket,
  askHistograms,
  formatHistogramDump,
  formatHistogramSchema,
  type HistogramSchema,
  type ImportedCounterDescription,
  type ImportedCounters,
  type ImportedHistogram,
  parseCounterSchema,
  parseCounters,
  parseHistogramDump,
  parseHistogramLoggers,
} from '@hdrscope/ceph';
import type { CephFormat, ImportedAverage } from '@hdrscope/ceph/internal';
import {
  type CephCluster,
  type CephPeer,
  describeWithCephCluster,
  startCephCluster,
} from './support/ceph-cluster.ts';
import { expectedSeries, seriesOf, startCephExporter } from './support/ceph-exporter.ts';
import { createFolder, stopPeers, waitFor } from './support/peer-process.ts';

// Storage daemons of later releases than the one that ceph-cluster.test.ts runs.

const RELEASES = {
  'ceph-reef': { release: 'reef', scrub: false },
  'ceph-squid': { release: 'squid', scrub: true },
  'ceph-tentacle': { release: 'tentacle', scrub: true },
} as const satisfies Partial<Record<CephPeer, object>>;

const FORMATS: readonly CephFormat[] = ['json', 'json-pretty', 'xml', 'xml-pretty'];

const OPERATIONS = {
  op_r_latency_out_bytes_histogram: 'op_r',
  op_w_latency_in_bytes_histogram: 'op_w',
  op_rw_latency_in_bytes_histogram: 'op_rw',
  op_rw_latency_out_bytes_histogram: 'op_rw',
} as const;

const COUNTER = 0x08;
const AVERAGE = 0x04;

/** Whether a counter never falls while its daemon runs. */
function onlyGrows({ type }: ImportedCounterDescription): boolean {
  return (type & (COUNTER | AVERAGE)) !== 0;
}

function totalOf({ histogram }: ImportedHistogram): bigint {
  return histogram.cells.reduce((sum, count) => sum + count, 0n);
}

/** Calls `read` between two readings of the operations until none was counted meanwhile. */
async function whileIdle<Answer>(
  operations: () => Promise<string>,
  read: () => Promise<Answer>,
): Promise<Answer> {
  return waitFor(
    async () => {
      const before = await operations();
      const answer = await read();
      return before === (await operations()) ? answer : undefined;
    },
    { what: 'a daemon without operations' },
  );
}

for (const [peer, { release, scrub }] of Object.entries(RELEASES) as [
  keyof typeof RELEASES,
  (typeof RELEASES)[keyof typeof RELEASES],
][]) {
  describeWithCephCluster(
    `a storage daemon of ${release}`,
    () => {
      let cluster: CephCluster;
      const ask = (prefix: string, args: Readonly<Record<string, string>> = {}): Promise<string> =>
        askAdminSocket(cluster.osdSocket, prefix, args);
      const osdNumbers = async (): Promise<Readonly<Record<string, number>>> =>
        JSON.parse(await ask('perf dump', { logger: 'osd' })).osd;
      const operations = async (): Promise<string> => String((await osdNumbers()).op);

      beforeAll(async () => {
        cluster = await startCephCluster({ peer });
        await cluster.rados('bench', '1', 'write', '-b', '4096', '-t', '4', '--no-cleanup');
        await cluster.rados('bench', '1', 'seq', '-t', '4');
      });

      afterAll(stopPeers);

      test('is of this release', async () => {
        expect(JSON.parse(await ask('version'))).toMatchObject({ release });
      });

      test('counts as many operations in histograms as in plain counters', async () => {
        const [dumped, numbers] = await whileIdle(operations, async () => {
          const text = await ask('perf histogram dump');
          return [parseHistogramDump(text), await osdNumbers()] as const;
        });
        const totals = Object.fromEntries(dumped.map((one) => [one.counter, totalOf(one)]));
        console.log(`${release}: ${numbers.op_w} operations written, ${numbers.op_r} read`);

        for (const [counter, operation] of Object.entries(OPERATIONS)) {
          expect([counter, totals[counter]]).toEqual([counter, BigInt(numbers[operation]!)]);
        }
        expect(Math.min(numbers.op_w!, numbers.op_r!)).toBeGreaterThan(0);
        expect(dumped.map(({ counter }) => counter).includes('scrub_resrv_repnum_vs_duration')).toBe(scrub);
        for (const { counter, histogram, unitSources, notes } of dumped) {
          const units = histogram.axes.map(({ unit }) => unit);
          const isScrub = counter === 'scrub_resrv_repnum_vs_duration';
          expect([units, unitSources]).toEqual(
            isScrub
              ? [
                  ['none', 'ns'],
                  ['unknown', 'known'],
                ]
              : [
                  ['ns', 'bytes'],
                  ['known-mislabel', 'name'],
                ],
          );
          expect(notes).toEqual([]);
        }
      });

      test('has the sums of its histograms in perf dump', async () => {
        const [read, numbers] = await whileIdle(operations, async () => {
          return [
            await askHistograms(ask),
            JSON.parse(await ask('perf dump', { logger: 'osd' })).osd,
          ] as const;
        });
        const writes = read.find(({ counter }) => counter === 'op_w_latency_in_bytes_histogram')!;
        const [latency, bytes] = writes.measured!;
        const ns = Math.round(numbers.op_w_latency.sum * 1e9);

        expect(latency).toEqual({ lower: ns, upper: ns, value: ns });
        expect(bytes!.value).toBe(numbers.op_w_in_bytes);
      });

      test('has a dump and a schema that are written again byte for byte', async () => {
        const text = await whileIdle(operations, () => ask('perf histogram dump'));
        const { loggers } = parseHistogramLoggers(text)[0]!;
        const schema = JSON.parse(await ask('perf histogram schema')) as HistogramSchema;
        const described = loggers.map(({ name, counters }) => ({
          name,
          counters: counters.map((one) => {
            const { description, nick, priority } = schema[name]![one.name]!;
            return { ...one, description, nick, priority };
          }),
        }));
        for (const format of FORMATS) {
          const again = formatHistogramDump(loggers, { format, release });
          expect(again).toBe(await whileIdle(operations, () => ask('perf histogram dump', { format })));
          const schemaAgain = formatHistogramSchema(described, { format, release });
          expect(schemaAgain).toBe(await ask('perf histogram schema', { format }));
        }
      });

      test('has labelled counters, with every counter of perf dump among them', async () => {
        const before = parseCounters(await ask('counter dump'));
        const plain = parseCounters(await ask('perf dump'));
        const after = parseCounters(await ask('counter dump'));
        const described = parseCounterSchema(await ask('counter schema'));
        const labelsOf = (logger: string): object[] =>
          before.filter((one) => one.logger === logger).map(({ labels }) => labels);

        expect(labelsOf('AsyncMessenger::Worker')).toEqual([{ id: '0' }, { id: '1' }, { id: '2' }]);
        expect(labelsOf('osd')).toEqual([{}]);
        if (scrub) expect(labelsOf('osd_scrub_dp_ec')).toEqual([{ level: 'deep', pooltype: 'ec' }]);
        const unlabelled = before.filter(({ labels }) => Object.keys(labels).length === 0);
        const namesOf = (all: readonly ImportedCounters[]): object[] =>
          all.map(({ logger, counters }) => [logger, [...counters.keys()]]);
        expect(namesOf(unlabelled)).toEqual(namesOf(plain));

        // Counters only grow, so a value that is read in between lies between both others.
        const growing = described.filter((one) => onlyGrows(one) && Object.keys(one.labels).length === 0);
        expect(growing.length).toBeGreaterThan(200);
        for (const { logger, counter } of growing) {
          const [from, value, to] = [before, plain, after].map((all) => {
            const one = all.find(
              (entry) => entry.logger === logger && Object.keys(entry.labels).length === 0,
            );
            const found = one!.counters.get(counter)!;
            return typeof found === 'object' ? (found as ImportedAverage).count : found;
          });
          expect([`${logger}.${counter}`, from! <= value! && value! <= to!]).toEqual([
            `${logger}.${counter}`,
            true,
          ]);
        }
      });

      if (peer === 'ceph-tentacle') {
        test('has the counters that ceph-exporter shows', async () => {
          const folder = await createFolder();
          await symlink(cluster.osdSocket, join(folder, 'ceph-osd.0.asok'));
          const exporter = await startCephExporter(folder);
          const [before, schema] = [await ask('counter dump'), await ask('counter schema')];
          // A page that began after `before`.
          const isNewer = (text: string): boolean => text !== first && text.includes('ceph_daemon="osd.0"');
          const first = await exporter.page((text) => text.includes('ceph_daemon="osd.0"'));
          const second = await exporter.page(isNewer);
          const page = await exporter.page((text) => text !== first && text !== second && isNewer(text));
          const after = await ask('counter dump');
          const shown = seriesOf(page, 'osd.0');
          console.log(`ceph-exporter shows ${shown.size} series of the daemon`);

          expect([...shown.keys()].sort()).toEqual(
            [...expectedSeries(before, schema, 'osd.0').keys()].sort(),
          );
          expect(shown.size).toBeGreaterThan(400);
          // What only grows lies between an earlier and a later answer, and is equal where these are.
          const from = expectedSeries(before, schema, 'osd.0', onlyGrows);
          const to = expectedSeries(after, schema, 'osd.0', onlyGrows);
          for (const [series, least] of from) {
            const value = Number(shown.get(series));
            const isBetween = Number(least) <= value && value <= Number(to.get(series));
            expect([series, isBetween]).toEqual([series, true]);
          }
          expect([...from].filter(([series, value]) => to.get(series) === value).length).toBeGreaterThan(200);
        });
      }
    },
    peer,
  );
}
