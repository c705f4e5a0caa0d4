import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { createRegistry, type Registry } from '@hdrscope/registry';
import { collectDiagnostics } from '@hdrscope/testing/diagnostics';
import {
  type FamilySource,
  type MetricFamily,
  type PrometheusHandlerOptions,
  prometheusHandler,
  servePrometheus,
} from '../src/index.ts';
import { type Answer, type Asked, ask, OPENMETRICS, PROTOBUF } from './support/http.ts';

const log = collectDiagnostics();
const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

function registryWithValues(): Registry {
  const registry = createRegistry();
  const jobs = registry.histogram({ name: 'job.duration', unit: 's' });
  jobs.with({ queue: 'mail' }).record(0.02);
  jobs.with({ queue: 'mail' }).record(0.3);
  return registry;
}

async function serve(handler: ReturnType<typeof prometheusHandler>): Promise<number> {
  const server = createServer(handler);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  return (server.address() as AddressInfo).port;
}

async function scrape(
  registry: Registry,
  asked?: Asked,
  options?: PrometheusHandlerOptions,
): Promise<Answer> {
  return ask(await serve(prometheusHandler(registry, options)), asked);
}

function gauge(name: string, value: number): MetricFamily {
  return {
    name,
    help: '',
    unit: '',
    type: 'gauge',
    metrics: [{ labels: [], value: { kind: 'number', value } }],
  };
}

/** A registry whose snapshot never comes. */
function hangingRegistry(): Registry {
  return { ...registryWithValues(), gather: () => new Promise(() => {}) };
}

describe('a registry', () => {
  test('is served as text without an Accept header', async () => {
    const { status, headers, text } = await scrape(registryWithValues());
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(headers.vary).toBe('Accept, Accept-Encoding');
    expect(text).toContain('# TYPE job_duration_seconds histogram\n');
    expect(text).toContain('job_duration_seconds_bucket{queue="mail",le="0.025"} 1\n');
    expect(text).toContain('job_duration_seconds_count{queue="mail"} 2\n');
  });

  test('is served as OpenMetrics', async () => {
    const { headers, text } = await scrape(registryWithValues(), { headers: { accept: OPENMETRICS } });
    expect(headers['content-type']).toBe('application/openmetrics-text; version=1.0.0; charset=utf-8');
    expect(text).toMatch(/# EOF\n$/);
  });

  test('is served as protobuf, which has the native histograms', async () => {
    const { headers, bytes } = await scrape(registryWithValues(), { headers: { accept: PROTOBUF } });
    expect(headers['content-type']).toBe(
      'application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; encoding=delimited',
    );
    // One message after its length.
    expect(bytes[0]).toBe(bytes.length - 1);
  });

  test('has the names that the options ask for', async () => {
    const { text } = await scrape(registryWithValues(), {}, { prefix: 'app' });
    expect(text).toContain('app_job_duration_seconds_count{queue="mail"} 2\n');
  });

  test('is served without failed sources, which show in the metrics and in the diagnostics', async () => {
    const registry = registryWithValues();
    registry.add({ name: 'kernel', collect: () => Promise.reject(new Error('no map')) });
    const { status, text } = await scrape(registry);
    expect(status).toBe(200);
    expect(text).toContain('job_duration_seconds_count{queue="mail"} 2\n');
    expect(text).toContain('hdrscope_source_errors{source="kernel"} 1\n');
    expect(log.warnings).toEqual(['the source "kernel" failed: no map']);
  });

  test('is served without hanging sources, before the scraper gives up', async () => {
    const registry = registryWithValues();
    registry.add({ name: 'socket', collect: () => new Promise(() => {}) });
    const headers = { 'x-prometheus-scrape-timeout-seconds': '0.2' };
    const { status, text } = await scrape(registry, { headers });
    expect(status).toBe(200);
    expect(text).toContain('job_duration_seconds_count{queue="mail"} 2\n');
    expect(text).toContain('hdrscope_source_errors{source="socket"} 1\n');
  });

  test('serves concurrent scrapes in a format each', async () => {
    const port = await serve(prometheusHandler(registryWithValues()));
    const accepts = ['text/plain', OPENMETRICS, PROTOBUF];
    const alone = await Promise.all(accepts.map((accept) => ask(port, { headers: { accept } })));
    const many = await Promise.all(
      Array.from({ length: 60 }, (_, i) =>
        ask(port, {
          headers: { accept: accepts[i % 3]!, ...(i % 2 === 0 && { 'accept-encoding': 'gzip' }) },
        }),
      ),
    );
    for (const [i, { text, headers }] of many.entries()) {
      expect(headers['content-type']).toBe(alone[i % 3]!.headers['content-type']);
      expect(text).toBe(alone[i % 3]!.text);
    }
  });

  test('gets a server of its own in one call', async () => {
    const server = await servePrometheus(registryWithValues(), { port: 0, endpoint: 'numbers' });
    expect((await ask(server.port, { path: '/numbers' })).status).toBe(200);
    expect((await ask(server.port)).status).toBe(404);
    await server.close();
    await expect(ask(server.port)).rejects.toThrow('ECONNREFUSED');
  });
});

describe('compression', () => {
  test('is gzip if the scraper accepts it', async () => {
    const registry = registryWithValues();
    const plain = await scrape(registry);
    const zipped = await scrape(registry, { headers: { 'accept-encoding': 'gzip' } });
    expect(zipped.headers['content-encoding']).toBe('gzip');
    expect(zipped.headers['content-length']).toBe(String(zipped.bytes.length));
    expect(zipped.bytes.length).toBeLessThan(plain.bytes.length);
    expect(zipped.text).toBe(plain.text);
  });

  test('is absent if the scraper refuses it', async () => {
    const { headers, text } = await scrape(registryWithValues(), {
      headers: { 'accept-encoding': 'gzip;q=0' },
    });
    expect(headers['content-encoding']).toBeUndefined();
    expect(text).toContain('job_duration_seconds_count');
  });
});

describe('methods', () => {
  test('HEAD has the headers of GET and no body', async () => {
    const port = await serve(prometheusHandler(registryWithValues()));
    const get = await ask(port);
    const head = await ask(port, { method: 'HEAD' });
    expect(head.status).toBe(200);
    expect(head.bytes).toHaveLength(0);
    expect(head.headers['content-length']).toBe(get.headers['content-length']);
    expect(head.headers['content-type']).toBe(get.headers['content-type']);
  });

  test.each(['POST', 'PUT', 'DELETE', 'OPTIONS'])('%s gets 405', async (method) => {
    const { status, headers, text } = await scrape(registryWithValues(), { method });
    expect(status).toBe(405);
    expect(headers.allow).toBe('GET, HEAD');
    expect(text).toBe(`metrics are read by GET or HEAD, got ${method}\n`);
  });
});

describe('other sources of families', () => {
  test('come after the registry, synchronous and asynchronous ones', async () => {
    const sources: FamilySource[] = [() => [gauge('a', 1)], async () => [gauge('b', 2)]];
    const { text } = await scrape(registryWithValues(), {}, { sources });
    expect(text).toMatch(/job_duration_seconds_count[\s\S]*\na 1\n[\s\S]*\nb 2\n/);
  });

  test('are left out when they fail or hang, and the rest is served', async () => {
    const sources: FamilySource[] = [
      () => {
        throw new Error('sync');
      },
      () => Promise.reject(new Error('async')),
      () => new Promise(() => {}),
      () => [gauge('b', 2)],
    ];
    const headers = { 'x-prometheus-scrape-timeout-seconds': '0.2' };
    const { status, text } = await scrape(registryWithValues(), { headers }, { sources });
    expect(status).toBe(200);
    expect(text).toContain('b 2\n');
    expect(log.warnings).toEqual([
      'a source of metric families failed: sync',
      'a source of metric families failed: async',
      'a source of metric families failed: not done within 160 ms',
    ]);
  });

  test('do not repeat a name, and the warning comes once', async () => {
    const registry = registryWithValues();
    const port = await serve(
      prometheusHandler(registry, { sources: [() => [gauge('job_duration_seconds', 1)]] }),
    );
    await ask(port);
    const { text } = await ask(port);
    expect(text.match(/# TYPE job_duration_seconds /g)).toHaveLength(1);
    expect(log.warnings).toEqual([
      '"job_duration_seconds" is already a histogram: the gauge of this name is left out',
    ]);
  });
});

describe('a scrape that fails', () => {
  test('gets 500 with the reason', async () => {
    const broken = { ...registryWithValues(), gather: () => Promise.reject(new Error('out of\nmemory')) };
    const { status, headers, text } = await scrape(broken, { headers: { 'accept-encoding': 'gzip' } });
    expect(status).toBe(500);
    expect(headers['content-type']).toBe('text/plain; charset=utf-8');
    expect(text).toBe('metrics could not be exported: out of memory\n');
    expect(log.errors).toEqual(['metrics could not be exported: out of memory']);
  });

  test('gets 503 before the scraper gives up when time is up', async () => {
    const start = performance.now();
    const headers = { 'x-prometheus-scrape-timeout-seconds': '0.2' };
    const { status, text } = await scrape(hangingRegistry(), { headers });
    expect(performance.now() - start).toBeLessThan(30_000);
    expect(status).toBe(503);
    expect(text).toBe('metrics could not be exported: not done within 180 ms\n');
  });

  test('gets 503 when the timeout of the option is up', async () => {
    const { status, text } = await scrape(hangingRegistry(), {}, { timeoutMs: 100 });
    expect(status).toBe(503);
    expect(text).toBe('metrics could not be exported: not done within 90 ms\n');
  });
});

describe('the host', () => {
  test('gets no error from a response that throws', async () => {
    const handler = prometheusHandler(registryWithValues());
    const ended = new Promise<void>((resolve) => {
      const response = {
        statusCode: 0,
        setHeader: () => {},
        end() {
          resolve();
          throw new Error('broken pipe');
        },
      };
      expect(() => handler({}, response)).not.toThrow();
    });
    await ended;
    await new Promise((resolve) => setImmediate(resolve));
    expect(log.warnings).toEqual(['a scrape could not be answered: broken pipe']);
  });

  test('can lose the client meanwhile', async () => {
    let gathered = (): void => {};
    const registry = registryWithValues();
    const gathering = new Promise<void>((resolve) => {
      gathered = resolve;
    });
    let asked = (): void => {};
    const asking = new Promise<void>((resolve) => {
      asked = resolve;
    });
    const slow = {
      ...registry,
      async gather() {
        asked();
        await gathering;
        return registry.gather();
      },
    };
    const socket = connect(await serve(prometheusHandler(slow)), 'localhost');
    socket.write('GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n');
    await asking;
    socket.destroy();
    await new Promise((resolve) => setTimeout(resolve, 20));
    gathered();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect([...log.errors, ...log.warnings]).toEqual([]);
  });

  test('can answer the request itself meanwhile', async () => {
    const handler = prometheusHandler(registryWithValues());
    const port = await serve((request, response) => {
      handler(request, response);
      response.statusCode = 504;
      response.end('too late');
    });
    const { status, text } = await ask(port);
    expect([status, text]).toEqual([504, 'too late']);
    expect(log.errors).toEqual([]);
    expect(log.warnings).toEqual([]);
  });

  test('can have requests and responses that only resemble those of Node', async () => {
    const written: string[] = [];
    await new Promise<void>((resolve) => {
      const response = {
        statusCode: 0,
        setHeader: () => {},
        end(body: unknown) {
          written.push(`${body}`);
          resolve();
        },
      };
      prometheusHandler(registryWithValues())({}, response);
    });
    expect(written[0]).toContain('job_duration_seconds_count{queue="mail"} 2\n');
  });
});

test.each([
  [{ timeoutMs: 0 }, 'timeoutMs must be a number above 0, got 0'],
  [{ timeoutMs: Number.NaN }, 'timeoutMs must be a number above 0, got NaN'],
  [{ maxBuckets: 1 }, 'maxBuckets must be an integer of at least 8, got 1'],
])('the options %p are refused', (options, message) => {
  expect(() => prometheusHandler(createRegistry(), options)).toThrow(message);
});
