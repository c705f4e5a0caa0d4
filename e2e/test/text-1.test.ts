import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { prometheusHandler } from '@hdrscope/prometheus';
import { createRegistry } from '@hdrscope/registry';
import { describeWithPeers } from '@hdrscope/testing';
import { stopPeers } from './support/peer-process.ts';
import { type Prometheus, startPrometheus } from './support/prometheus.ts';

/** A job for each escaping scheme, and the name that it stores. */
const SCHEMES = {
  'allow-utf-8': 'größe.request_count',
  underscores: 'gr__e_request_count',
  dots: 'gr____e_dot_request_count',
  values: 'U__gr_f6__df_e_2e_request_count',
};

describeWithPeers(['prometheus-3'])('Prometheus 3 that scrapes text 1.0.0', () => {
  const exchanges = new Map<string, string>();
  let server: Server;
  let prometheus: Prometheus;

  beforeAll(async () => {
    const registry = createRegistry();
    registry.histogram({ name: 'größe.request' }).with({ 'http.route': '/cart' }).record(7);
    const handler = prometheusHandler(registry, { translationStrategy: 'NoTranslation' });
    server = createServer((request, response) => {
      response.once('finish', () => {
        const [asked = ''] = request.headers.accept!.split(',');
        exchanges.set(asked.replace(/;q=.*/, ''), String(response.getHeader('content-type')));
      });
      handler(request, response);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    prometheus = await startPrometheus('prometheus-3', [`127.0.0.1:${port}`], {
      isNative: false,
      jobs: Object.keys(SCHEMES).map((scheme) => ({
        job_name: scheme,
        scrape_protocols: ['PrometheusText1.0.0'],
        metric_name_escaping_scheme: scheme,
      })),
    });
  });

  afterAll(async () => {
    await stopPeers();
    server.close();
  });

  test.each(Object.entries(SCHEMES))('stores names by the scheme %s', async (scheme, name) => {
    const label = scheme === 'allow-utf-8' ? 'http.route' : undefined;
    const [{ value, labels }] = await prometheus.query(`{__name__="${name}",job="${scheme}"}`);
    expect(value).toBe(1);
    if (label !== undefined) expect(labels[label]).toBe('/cart');
    expect(exchanges.get(`text/plain;version=1.0.0;escaping=${scheme}`)).toBe(
      `text/plain; version=1.0.0; charset=utf-8; escaping=${scheme}`,
    );
  });
});
