import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { askAdminSocket } from '@hdrscope/ceph';
import { readHistogram } from './prometheus-text.ts';
import { type CephCluster, describeWithCephCluster, startCephCluster } from './support/ceph-cluster.ts';
import { type CephExporter, seriesOf, startCephExporter } from './support/ceph-exporter.ts';
import { createFolder, type PeerProcess, startPeer, stopPeers, waitFor } from './support/peer-process.ts';

// `hdrscope ceph serve` and Ceph's own exporter read the same sockets. ceph-exporter shows the counters of the operations whose latencies
// and sizes the histograms hold, so counts and sums must be the same numbers, under the same label.

const PEER = 'ceph-tentacle';
const COMMAND = join(import.meta.dirname, '../../packages/cli/bin/hdrscope.js');
const DEADLINE_SECONDS = 400;
const ADDRESS = /http:\S+\/metrics$/m;
/** Later than the gather that scrapes share. */
const FRESH_MS = 250;
const OSDS = [0, 1];

/** The counters of ceph-exporter, by the histogram of the same operations. */
const KINDS = {
  op_r_latency_out_bytes: { operations: 'op_r', latency: 'op_r_latency', bytes: 'op_r_out_bytes' },
  op_w_latency_in_bytes: { operations: 'op_w', latency: 'op_w_latency', bytes: 'op_w_in_bytes' },
  op_rw_latency_in_bytes: { operations: 'op_rw', latency: 'op_rw_latency', bytes: 'op_rw_in_bytes' },
  op_rw_latency_out_bytes: { operations: 'op_rw', latency: 'op_rw_latency', bytes: 'op_rw_out_bytes' },
} as const;
const WRITES = 'op_w_latency_in_bytes';

/** What one of both shows of the operations of one kind on one OSD. */
interface Shown {
  readonly count: number;
  readonly seconds: number;
  readonly bytes: number;
}
const NOTHING: Shown = { count: 0, seconds: 0, bytes: 0 };

/** By OSD and kind. */
type Page = ReadonlyMap<string, Shown>;

let cluster: CephCluster;
let exporter: CephExporter;
let url: string;

const bench = (...args: readonly string[]): Promise<string> => cluster.rados('bench', ...args);
const writesOf = (page: Page, osd: number): number => page.get(`osd.${osd} ${WRITES}`)!.count;

/** What hdrscope shows now: count and sum of both axes. */
async function ourPage(): Promise<Page> {
  return readOurs(await scrape());
}

async function scrape(): Promise<string> {
  await sleep(FRESH_MS);
  const answer = await fetch(url);
  expect(answer.status).toBe(200);
  return answer.text();
}

/** Whether each OSD has answered for this page. */
function isOfNow(page: string): boolean {
  return OSDS.every((osd) => page.includes(`hdrscope_ceph_answer_age_seconds{ceph_daemon="osd.${osd}"} 0\n`));
}

function readOurs(page: string): Page {
  const found = new Map<string, Shown>();
  for (const kind of Object.keys(KINDS)) {
    const sizes = readHistogram(page, `ceph_osd_${kind}_request_size_bytes`);
    for (const { labels, count, sum } of readHistogram(page, `ceph_osd_${kind}_latency_seconds`)) {
      const size = sizes.find((one) => one.labels === labels)!;
      expect([labels, kind, size.count]).toEqual([labels, kind, count]);
      found.set(`${labels.replace('ceph_daemon=', '')} ${kind}`, { count, seconds: sum, bytes: size.sum });
    }
  }
  return found;
}

function readExporter(text: string): Page {
  const found = new Map<string, Shown>();
  for (const osd of OSDS) {
    const series = seriesOf(text, `osd.${osd}`);
    if (series.size === 0) continue;
    const counterAt = (name: string): number =>
      Number(series.get(`ceph_osd_${name}{ceph_daemon="osd.${osd}"}`) ?? Number.NaN);
    for (const [kind, { operations, latency, bytes }] of Object.entries(KINDS)) {
      const shown = {
        count: counterAt(operations),
        seconds: counterAt(`${latency}_sum`),
        bytes: counterAt(bytes),
      };
      found.set(`osd.${osd} ${kind}`, shown);
    }
  }
  return found;
}

/** A page of ceph-exporter for which it has asked all OSDs after this call: the second page from now may be of an earlier answer. */
async function exporterPage(): Promise<Page> {
  let text = await exporter.page(() => true);
  for (let turn = 0; turn < 2; turn++) {
    const before = text;
    text = await exporter.page((now) => now !== before && readExporter(now).size > 0);
  }
  return readExporter(text);
}

/** A page of ceph-exporter between two equal ones of hdrscope: the cluster rests. */
async function restingPages(): Promise<{ readonly ours: Page; readonly theirs: Page }> {
  return waitFor(
    async () => {
      const before = await ourPage();
      const theirs = await exporterPage();
      const page = await scrape();
      const ours = readOurs(page);
      const isSame = JSON.stringify([...before]) === JSON.stringify([...ours]);
      return isSame && isOfNow(page) ? { ours, theirs } : undefined;
    },
    { what: 'a cluster at rest' },
  );
}

/** Compares what hdrscope has added since an earlier page with what ceph-exporter shows. */
function expectEqual(
  osd: number,
  { ours, theirs }: { ours: Page; theirs: Page },
  since: Page = new Map(),
): void {
  for (const kind of Object.keys(KINDS)) {
    const key = `osd.${osd} ${kind}`;
    const [now, then, other] = [ours.get(key) ?? NOTHING, since.get(key) ?? NOTHING, theirs.get(key)!];
    expect([key, now.count - then.count, now.bytes - then.bytes]).toEqual([key, other.count, other.bytes]);
    // It prints six digits after the point.
    expect(Math.abs(now.seconds - then.seconds - other.seconds)).toBeLessThan(1e-6);
  }
}

describeWithCephCluster(
  'the export of a cluster beside that of ceph-exporter',
  () => {
    let serving: PeerProcess;

    beforeAll(async () => {
      cluster = await startCephCluster({ peer: PEER, isSecondIdle: false, areSocketsTogether: true });
      serving = await startPeer(
        process.execPath,
        [COMMAND, 'ceph', 'serve', cluster.sockets, '--port', '0'],
        {
          folder: await createFolder(),
          isReady: (output) => ADDRESS.test(output),
          deadlineSeconds: DEADLINE_SECONDS,
        },
      );
      [url] = ADDRESS.exec(serving.output()) as unknown as [string];
      exporter = await startCephExporter(cluster.sockets, { deadlineSeconds: DEADLINE_SECONDS });
      await bench('1', 'write', '-b', '4096', '-t', '4', '--no-cleanup');
      await bench('1', 'seq', '-t', '4');
    });

    afterAll(stopPeers);

    test('at rest, operations, seconds and bytes of each OSD are the same numbers', async () => {
      const pages = await restingPages();
      for (const osd of OSDS) expectEqual(osd, pages);
      expect(Math.min(...OSDS.map((osd) => writesOf(pages.ours, osd)))).toBeGreaterThan(0);
    });

    test('under load, operations lie between a page of ceph-exporter before and one after', async () => {
      let isOver = false;
      const over = bench('6', 'write', '-b', '4096', '-t', '4', '--no-cleanup').finally(() => {
        isOver = true;
      });
      let compared = 0;
      let before = readExporter(await exporter.page(() => true));
      while (!isOver) {
        const ours = await ourPage();
        const after = await exporterPage();
        for (const osd of OSDS) {
          expect(writesOf(ours, osd)).toBeGreaterThanOrEqual(writesOf(before, osd));
          expect(writesOf(ours, osd)).toBeLessThanOrEqual(writesOf(after, osd));
        }
        before = after;
        compared++;
      }
      await over;
      console.log(`${compared} pages between two of ceph-exporter`);
      const pages = await restingPages();
      for (const osd of OSDS) expectEqual(osd, pages);
    });

    test('after a perf reset ceph-exporter falls to 0, and what comes later is added to ours', async () => {
      const { ours: before } = await restingPages();
      for (const osd of OSDS) {
        await askAdminSocket(join(cluster.sockets, `ceph-osd.${osd}.asok`), 'perf reset', { var: 'all' });
      }
      await ourPage();
      await bench('1', 'write', '-b', '8192', '-t', '4', '--no-cleanup');
      const pages = await restingPages();
      for (const osd of OSDS) {
        expectEqual(osd, pages, before);
        expect(writesOf(pages.theirs, osd)).toBeLessThan(writesOf(pages.ours, osd));
      }
    });

    test('while an OSD hangs, ours has the other one and the age of the last answer, and both agree when it goes on', async () => {
      const { ours: before } = await restingPages();
      cluster.osds[1]!.signal('SIGSTOP');
      let shown: Page;
      let startMs = performance.now();
      try {
        await ourPage();
        startMs = performance.now();
        shown = await ourPage();
      } finally {
        cluster.osds[1]!.signal('SIGCONT');
      }
      expect(performance.now() - startMs).toBeLessThan(2000);
      expect([...shown.keys()]).toEqual([...before.keys()]);
      await bench('1', 'write', '-b', '4096', '-t', '4', '--no-cleanup');
      const { ours, theirs } = await restingPages();
      // Both have counted since the reset of the test before.
      for (const osd of OSDS) {
        const [from, to] = [writesOf(before, osd), writesOf(ours, osd)];
        expect(to).toBeGreaterThan(from);
        expect(writesOf(theirs, osd)).toBeGreaterThanOrEqual(to - from);
      }
    });

    test('an OSD that is killed and starts again begins at 0 there, and is added up here', async () => {
      const { ours: before } = await restingPages();
      cluster.osds[1]!.signal('SIGKILL');
      await cluster.osds[1]!.ended();
      expect((await ourPage()).get(`osd.1 ${WRITES}`)).toEqual(before.get(`osd.1 ${WRITES}`));
      await cluster.restartOsd(1);
      // The pool of before has lost its objects.
      await cluster.ceph('osd', 'pool', 'create', 'again', '8');
      await cluster.rados('--pool', 'again', 'bench', '1', 'write', '-b', '4096', '-t', '4', '--no-cleanup');
      const pages = await restingPages();
      expectEqual(1, pages, before);
      expect(writesOf(pages.theirs, 1)).toBeGreaterThan(0);
    });
  },
  PEER,
);
