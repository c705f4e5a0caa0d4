import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { collectDiagnostics } from '@hdrscope/testing/diagnostics';
import { addressOf } from '../src/address.ts';
import { HdrPrometheusExporter, type HdrPrometheusExporterOptions } from '../src/index.ts';
import { ask } from './support/http.ts';

const log = collectDiagnostics();

describe('the address of the exporter', () => {
  test.each<[HdrPrometheusExporterOptions, Record<string, string>, string]>([
    [{}, {}, 'localhost:9464/metrics'],
    [{ host: '::', port: 1, endpoint: 'a/b' }, {}, ':::1/a/b'],
    [{ host: '', endpoint: '' }, {}, 'localhost:9464/metrics'],
    [{ port: 0 }, { OTEL_EXPORTER_PROMETHEUS_PORT: '1' }, 'localhost:0/metrics'],
    [
      {},
      { OTEL_EXPORTER_PROMETHEUS_HOST: ' 0.0.0.0 ', OTEL_EXPORTER_PROMETHEUS_PORT: '8080' },
      '0.0.0.0:8080/metrics',
    ],
    [
      { host: 'a', port: 1 },
      { OTEL_EXPORTER_PROMETHEUS_HOST: 'b', OTEL_EXPORTER_PROMETHEUS_PORT: '2' },
      'a:1/metrics',
    ],
    [{}, { OTEL_EXPORTER_PROMETHEUS_HOST: '', OTEL_EXPORTER_PROMETHEUS_PORT: '' }, 'localhost:9464/metrics'],
    [{ endpoint: '/x' }, {}, 'localhost:9464/x'],
  ])('with the options %p and the environment %p is %s', (options, environment, expected) => {
    const { host, port, endpoint } = addressOf(options, environment);
    expect(`${host}:${port}${endpoint}`).toBe(expected);
    expect(log.warnings).toEqual([]);
  });

  test.each(['80.5', '-1', '65536', 'http', '0x50g'])(
    'ignores the port %p of the environment with a warning',
    (text) => {
      expect(addressOf({}, { OTEL_EXPORTER_PROMETHEUS_PORT: text }).port).toBe(9464);
      expect(log.warnings).toEqual([
        `OTEL_EXPORTER_PROMETHEUS_PORT must be an integer from 0 to 65535, got "${text}": ignored`,
      ]);
    },
  );
});

test.each<[HdrPrometheusExporterOptions, string]>([
  [{ port: 65_536 }, 'port must be an integer from 0 to 65535, got 65536'],
  [{ port: Number.NaN }, 'port must be an integer from 0 to 65535, got NaN'],
  [{ timeoutMs: -1 }, 'timeoutMs must be a number above 0, got -1'],
  [{ buckets: 'none' as 'both' }, `buckets must be 'native', 'classic' or 'both', got "none"`],
  [
    { classicBoundaries: [3, 1] },
    'classicBoundaries must be finite numbers in ascending order, got an array of 2',
  ],
])('the options %p are refused', (options, message) => {
  expect(() => new HdrPrometheusExporter(options)).toThrow(message);
});

describe('the callback', () => {
  test('runs without an error when the server listens, on loopback only', async () => {
    const exporter = await new Promise<HdrPrometheusExporter>((resolve, reject) => {
      const made = new HdrPrometheusExporter({ port: 0 }, (error) => (error ? reject(error) : resolve(made)));
    });
    expect(exporter.port).toBeGreaterThan(0);
    await exporter.startServer();
    expect((await ask(exporter.port!, { path: '/' })).status).toBe(404);
    await exporter.shutdown();
  });

  test('gets the error when the server cannot listen, and so do the diagnostics', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, 'localhost', resolve));
    const { port } = other.address() as AddressInfo;
    const error = await new Promise<Error | undefined>((resolve) => {
      new HdrPrometheusExporter({ port }, resolve);
    });
    expect(error).toMatchObject({ code: 'EADDRINUSE' });
    expect(log.errors).toEqual([
      expect.stringMatching(
        /^the metrics server could not be started: listen EADDRINUSE.*choose another port by port or/,
      ),
    ]);
    other.close();
  });

  test('of two exporters at one port, the second gets the error with the cure, and the first goes on', async () => {
    const first = new HdrPrometheusExporter({ port: 0 });
    await first.startServer();
    const port = first.port!;
    const second = await new Promise<HdrPrometheusExporter>((resolve) => {
      const made = new HdrPrometheusExporter({ port }, () => resolve(made));
    });
    expect(log.errors).toEqual([
      expect.stringMatching(
        new RegExp(
          `EADDRINUSE.*:${port}: another server has this port, perhaps of this process: end it, or choose another port by ` +
            'port or OTEL_EXPORTER_PROMETHEUS_PORT$',
        ),
      ),
    ]);
    expect((await ask(port)).status).toBe(200);
    await first.shutdown();
    await second.shutdown();
  });

  test('runs later when no server starts', async () => {
    let hasRun = false;
    new HdrPrometheusExporter({ preventServerStart: true }, () => {
      hasRun = true;
    });
    expect(hasRun).toBe(false);
    await Promise.resolve();
    expect(hasRun).toBe(true);
  });

  test('can throw without harm', async () => {
    new HdrPrometheusExporter({ preventServerStart: true }, () => {
      throw new Error('not ready');
    });
    await Promise.resolve();
    expect(log.errors).toEqual(['the callback of HdrPrometheusExporter failed: not ready']);
  });
});

test('the exporter selects exponential histograms, unless the option asks for classic buckets', () => {
  const exporter = (buckets?: 'native' | 'classic' | 'both') =>
    new HdrPrometheusExporter({ preventServerStart: true, buckets });
  expect(exporter().selectAggregation('HISTOGRAM')).toEqual({ type: 5 });
  expect(exporter('both').selectAggregation('HISTOGRAM')).toEqual({ type: 5 });
  expect(exporter('classic').selectAggregation('HISTOGRAM')).toEqual({ type: 0 });
  expect(exporter().selectAggregation('COUNTER')).toEqual({ type: 0 });
});

test('a request that follows the constructor at once finds the server, also after a shutdown', async () => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  const { port } = other.address() as AddressInfo;
  await new Promise((resolve) => other.close(resolve));
  for (let i = 0; i < 20; i++) {
    // The name localhost would take a look-up, which may end after that of the client.
    const exporter = new HdrPrometheusExporter({ host: '127.0.0.1', port });
    expect((await ask(port)).status).toBe(200);
    await exporter.shutdown();
  }
});

test('shutdown rejects when it exceeds its timeout', async () => {
  const exporter = new HdrPrometheusExporter({ port: 0 });
  await exporter.startServer();
  const collecting = new Promise<void>((resolve) => {
    exporter.setMetricProducer({
      collect: () => {
        resolve();
        return new Promise(() => {});
      },
    });
  });
  const scrape = ask(exporter.port!);
  const outcome = expect(scrape).rejects.toThrow('socket hang up');
  await collecting;
  await expect(exporter.shutdown({ timeoutMillis: 20 })).rejects.toThrow('not done within 20 ms');
  await outcome;
});
