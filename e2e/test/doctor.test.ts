import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describeWithPeers } from '@hdrscope/testing';
import { startCollector } from './support/collector.ts';
import { freePort, stopPeers, waitFor } from './support/peer-process.ts';
import { startPrometheus } from './support/prometheus.ts';
import { startTargets, type Targets } from './support/prometheus-targets.ts';
import { durations } from './support/sampling.ts';

const COMMAND = join(import.meta.dirname, '../../packages/cli/bin/hdrscope.js');
const run = promisify(execFile);

interface Finding {
  readonly what: string;
  readonly ok: boolean;
  readonly detail: string;
  readonly cure?: string;
}

/** What the command finds at the last thing that it asks. */
async function examine(...args: string[]): Promise<readonly Finding[]> {
  const whole = [COMMAND, 'doctor', ...args, '--json'];
  const { stdout } = await run(process.execPath, whole, { timeout: 60_000 }).catch(
    (error: { stdout: string }) => error,
  );
  const { examined } = JSON.parse(stdout) as { examined: { findings: readonly Finding[] }[] };
  return examined.at(-1)!.findings;
}

/** The path at which Grafana hands on requests to a data source. */
const PROXY_PATH = '/api/datasources/proxy/uid/main';

/** Hands on requests below a path, and only those with a user and a password. */
async function startProxy(
  { hostname, port }: URL,
  { path, authorization }: { readonly path: string; readonly authorization: string },
): Promise<{ readonly port: number; close(): void }> {
  const expected = `Basic ${Buffer.from(authorization).toString('base64')}`;
  const server = createServer((asked, answer) => {
    const { method, headers, url = '' } = asked;
    if (headers.authorization !== expected || !url.startsWith(path)) {
      answer.writeHead(401).end();
      return;
    }
    const onward = request({ hostname, port, method, headers, path: url.slice(path.length) }, (answered) => {
      answer.writeHead(answered.statusCode!, answered.headers);
      answered.pipe(answer);
    });
    asked.pipe(onward);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port, close: () => server.close() };
}

afterEach(stopPeers);

describe.each(['prometheus-2', 'prometheus-3'] as const)('%s', (name) => {
  describeWithPeers([name])('is asked', () => {
    let service: Targets;
    beforeEach(async () => {
      service = await startTargets();
      service.record('/cart', durations(50, 1));
    });
    afterEach(() => service.stop());

    test('whether it stores the native histograms of a target, and how it would', async () => {
      const [target] = service.targets as [string];
      const find = async (isNative: boolean): Promise<readonly Finding[]> => {
        const { url, stop } = await startPrometheus(name, [target], { isNative });
        const found = await waitFor(
          async () => {
            const all = await examine(target, '--prometheus', url);
            return (
              all.some(({ what, detail }) => what.startsWith('stored') && !/nothing yet/.test(detail)) && all
            );
          },
          { what: 'stored histograms' },
        );
        await stop();
        return found;
      };
      const well = await find(true);
      expect(well.filter(({ ok }) => !ok)).toEqual([]);
      expect(well.at(-1)).toMatchObject({ detail: '1 native histogram' });
      const amiss = await find(false);
      expect(amiss.at(-1)).toMatchObject({
        ok: false,
        detail: expect.stringContaining('classic buckets alone'),
        cure: expect.stringContaining(
          name === 'prometheus-2' ? '--enable-feature=native-histograms' : 'scrape_native_histograms: true',
        ),
      });
    }, 120_000);

    test('about a target that it does not scrape, and one that is down', async () => {
      const [target] = service.targets as [string];
      const down = `127.0.0.1:${await freePort()}`;
      const { url } = await startPrometheus(name, [down]);
      const findings = await waitFor(
        async () => {
          const all = await examine(target, '--prometheus', url);
          return all.some(({ detail }) => detail.includes('refused')) && all;
        },
        { what: 'a target that is down' },
      );
      expect(findings.filter(({ ok }) => !ok)).toMatchObject([
        { what: 'targets', detail: expect.stringContaining(`1 of 1 target not up: http://${down}`) },
        { what: `scrapes ${target}`, cure: expect.stringContaining(`targets: ['${target}']`) },
      ]);
    }, 120_000);

    test('below a path and with a password, as behind the proxy of Grafana', async () => {
      const { url } = await startPrometheus(name, []);
      const proxy = await startProxy(new URL(url), { path: PROXY_PATH, authorization: 'api_key:a-token' });
      const ask = async (password: string): Promise<Finding | undefined> => {
        const base = `http://api_key:${password}@127.0.0.1:${proxy.port}${PROXY_PATH}`;
        return (await examine('--prometheus', base))[0];
      };
      try {
        expect(await ask('a-token')).toMatchObject({ ok: true });
        const refused = await ask('wrong');
        expect(refused).toMatchObject({ ok: false, cure: expect.stringContaining('USER:PASSWORD') });
        expect(JSON.stringify(refused)).not.toContain('wrong');
      } finally {
        proxy.close();
      }
    }, 120_000);

    test('whether it takes OTLP', async () => {
      const path = '/api/v1/otlp/v1/metrics';
      const { url } = await startPrometheus(name, []);
      expect(await examine('--otlp', `${url}${path}`)).toMatchObject([{ ok: false }]);
      if (name === 'prometheus-2') return;
      const taking = await startPrometheus(name, [], { isOtlpReceiver: true });
      expect(await examine('--otlp', `${taking.url}${path}`)).toMatchObject([{ ok: true }]);
    }, 120_000);
  });
});

describeWithPeers(['collector'])('a Collector', () => {
  test('takes OTLP at the port of HTTP, and not at that of gRPC', async () => {
    const collector = await startCollector();
    expect(await examine('--otlp', collector.httpUrl)).toMatchObject([{ ok: true }]);
    expect(collector.received()).toEqual([]);
    expect(await examine('--otlp', collector.grpcUrl)).toMatchObject([
      { ok: false, cure: expect.stringContaining('4318') },
    ]);
  }, 60_000);
});
