/**
 * An HTTP service that counts the duration and the size of each answer together. So it can say how slow large answers are, which
 * two histograms could not.
 *
 *   node service.js      serves on port 8080, its metrics on 9464, and an admin socket of Ceph at ./shop.asok
 */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { histogramReplies, PerfHistogram, registryReplies, serveAdminSocket } from '@hdrscope/ceph';
import { explicitLayout, hdrLayout } from '@hdrscope/core';
import { JointHistogram } from '@hdrscope/core/joint';
import { heatMapOfCells, plotText } from '@hdrscope/plot';
import { servePrometheus } from '@hdrscope/prometheus';
import { createRegistry, ingestJoint } from '@hdrscope/registry';

const KIB = 1024;
const LARGEST = 8 * KIB * KIB;
/** The classes of sizes in metrics. */
const CLASSES = [4 * KIB, 64 * KIB, 1024 * KIB];

/** @param {{ port?: number, metricsPort?: number, socket?: string }} options */
export async function startService({ port = 0, metricsPort = 0, socket } = {}) {
  // Two digits of the duration, up to a minute; the sizes only in classes. 8 bytes for each combination and each sum: 154 kB.
  const answers = new JointHistogram([
    {
      name: 'duration',
      unit: 'ns',
      layout: hdrLayout({ highestTrackableValue: 60e9, significantDigits: 2 }),
    },
    { name: 'size', unit: 'bytes', layout: explicitLayout(CLASSES) },
  ]);
  // Ceph's tools read slots that double in width.
  const perf = new PerfHistogram([
    { name: 'Latency (nsec)', scale: 'log2', min: 0, quantSize: 16_384, buckets: 24, unit: 'ns' },
    { name: 'Size (bytes)', scale: 'log2', min: 0, quantSize: 512, buckets: 16, unit: 'bytes' },
  ]);

  const registry = createRegistry();
  ingestJoint(registry, answers, {
    families: {
      duration: { name: 'http.server.request.duration', description: 'Duration of answers' },
      size: { name: 'http.server.response.body.size', description: 'Size of answers' },
    },
    classes: { axis: 'size', bounds: CLASSES, names: ['4k', '64k', '1m', 'more'] },
    attributes: { service: 'shop' },
  });

  const service = createServer((request, response) => {
    const start = process.hrtime.bigint();
    const [, route, wanted] = (request.url ?? '').split('/');
    if (route === 'heat-map') {
      const { axes, layouts, cells } = perf;
      response.end(plotText(heatMapOfCells({ axes, layouts, cells }, { x: 1, y: 0 }), { columns: 100 }));
      return;
    }
    const size = route === 'bytes' ? Math.min(Math.max(Number(wanted) || 0, 0), LARGEST) : 0;
    response.on('finish', () => {
      const ns = Number(process.hrtime.bigint() - start);
      answers.record(Math.min(ns, 60e9), size);
      perf.record(ns, size);
    });
    // Real work: larger answers take longer.
    response.end(randomBytes(size));
  });
  service.listen(port, '127.0.0.1');
  await once(service, 'listening');
  const metrics = await servePrometheus(registry, { host: '127.0.0.1', port: metricsPort });
  const loggers = [
    { name: 'shop', counters: [{ name: 'answers', description: 'Duration and size', histogram: perf }] },
  ];
  const admin =
    socket === undefined
      ? undefined
      : await serveAdminSocket({
          path: socket,
          ...registryReplies(registry),
          histograms: histogramReplies(() => loggers),
        });

  const address = /** @type {import('node:net').AddressInfo} */ (service.address());
  return {
    answers,
    perf,
    registry,
    url: `http://127.0.0.1:${address.port}`,
    metricsUrl: `http://127.0.0.1:${metrics.port}/metrics`,
    async close() {
      await admin?.close();
      await metrics.close();
      service.closeAllConnections();
      service.close();
      await once(service, 'close');
    },
  };
}

/** How slow answers are, by their size: the p99 of each class, with the bounds that it certainly lies between. */
export function slowness(/** @type {JointHistogram} */ answers) {
  return [...CLASSES, undefined].map((to, i) => {
    const where = [{ axis: 'size', from: CLASSES[i - 1], to }];
    const { lower, upper } = answers.quantile('duration', 0.99, { where });
    const { totalCount } = answers.marginal('duration', where);
    const mean = (answers.sum('duration', where) ?? Number.NaN) / totalCount;
    return { to, count: totalCount, p99: [lower, upper], mean };
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { url, metricsUrl } = await startService({ port: 8080, metricsPort: 9464, socket: 'shop.asok' });
  console.log(`${url}/bytes/10000, ${url}/heat-map and ${metricsUrl}`);
}
