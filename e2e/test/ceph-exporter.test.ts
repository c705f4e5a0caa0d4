import { join } from 'node:path';
import { askAdminSocket, registryReplies, serveAdminSocket } from '@hdrscope/ceph';
import { createRegistry } from '@hdrscope/registry';
import { describeWithPeers } from '@hdrscope/testing';
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
