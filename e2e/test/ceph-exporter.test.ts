import { execFile } from 'node:child_process';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import {
  askAdminSocket,
  histogramReplies,
  PerfHistogram,
  parseCounters,
  parseHistogramDump,
  registryReplies,
  serveAdminSocket,
} from '@hdrscope/ceph';
import { createRegistry } from '@hdrscope/registry';
import { describeWithPeers, programOf } from '@hdrscope/testing';
import { LATENCY, SIZE } from '@hdrscope/testing/osd';
import { expectedSeries, seriesOf, startCephExporter } from './support/ceph-exporter.ts';
import { createFolder, stopPeers } from './support/peer-process.ts';

// ceph-exporter reads the labelled counters of every socket in a folder, and shows them to Prometheus.

afterEach(stopPeers);

describeWithPeers(['ceph-tentacle'])('ceph-exporter', () => {
  test('shows the counts, sums and percentiles of our socket, with attributes as labels', async () => {
    const registry = createRegistry();
    const durations = registry.histogram({ name: 'request.duration', unit: 's', description: 'Time' });
    const sizes = registry.histogram({ name: 'body.size', unit: 'By' });
    for (let ms = 1; ms <= 100; ms++) {
      durations.with({ method: 'GET', route: '/a b' }).record(ms / 1000);
      durations.with({ method: 'POST', route: '/' }).record(ms / 100);
      sizes.with({}).record(1000 * ms);
    }
    const folder = await createFolder();
    const server = await serveAdminSocket({ path: join(folder, 'shop.asok'), ...registryReplies(registry) });
    try {
      const exporter = await startCephExporter(folder);
      const page = await exporter.page((text) => text.includes('ceph_daemon="shop"'));
      const [dump, schema] = await Promise.all(
        ['counter dump', 'counter schema'].map((command) => askAdminSocket(server.path, command)),
      );
      const expected = expectedSeries(dump!, schema!, 'shop');

      expect(seriesOf(page, 'shop')).toEqual(expected);
      const labels = 'ceph_daemon="shop",method="GET",route="/a b"';
      expect(expected.get(`ceph_hdrscope_request_duration_count{${labels}}`)).toBe('100');
      expect(expected.get(`ceph_hdrscope_request_duration_sum{${labels}}`)).toBe('5.050000');
      expect(expected.get(`ceph_hdrscope_request_duration_max{${labels}}`)).toBe('0.100000');
      expect(expected.get('ceph_hdrscope_body_size_sum{ceph_daemon="shop"}')).toBe('5050000');
      expect(page).toMatch(/^ceph_daemon_socket_up\{ceph_daemon="shop",hostname=".*"\} 1$/m);
      expect(page).toContain('# HELP ceph_hdrscope_request_duration_count Time Count\n');
    } finally {
      await server.close();
    }
  });
});

describeWithPeers(['ceph-tentacle'])('the ceph command of Tentacle', () => {
  test('prints the histograms and labelled counters of our socket', async () => {
    const registry = createRegistry();
    registry.histogram({ name: 'request.duration', unit: 's' }).with({ method: 'GET' }).record(0.25);
    const histogram = new PerfHistogram([LATENCY, SIZE]);
    for (let ms = 1; ms <= 100; ms++) histogram.record(ms * 1e6, 4096);
    const loggers = [{ name: 'shop', counters: [{ name: 'answers', histogram }] }];
    const server = await serveAdminSocket({
      path: join(await createFolder(), 'shop.asok'),
      ...registryReplies(registry),
      histograms: histogramReplies(() => loggers),
    });
    const ceph = async (...args: readonly string[]): Promise<string> => {
      const program = join(dirname(programOf('ceph-tentacle')), 'ceph');
      const options = { timeout: 90_000, killSignal: 'SIGKILL' } as const;
      return (await promisify(execFile)(program, ['--admin-daemon', server.path, ...args], options)).stdout;
    };
    try {
      const [dumped] = parseHistogramDump(await ceph('perf', 'histogram', 'dump', 'shop', 'answers'));
      expect(dumped!.histogram.cells).toEqual(histogram.cells);
      const [counters] = parseCounters(await ceph('counter', 'dump'));
      expect(counters).toMatchObject({ logger: 'hdrscope', labels: { method: 'GET' } });
      expect(counters!.counters.get('request.duration')).toEqual({ count: 1, sum: 0.25 });
      for (const command of ['perf histogram schema', 'counter schema', 'perf dump', 'help']) {
        const printed = await ceph('-f', 'json', ...command.split(' '));
        expect(printed.trimEnd()).toBe(
          (await askAdminSocket(server.path, command, { format: 'json' })).trimEnd(),
        );
      }
    } finally {
      await server.close();
    }
  });
});
