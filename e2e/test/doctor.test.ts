import { execFile } from 'node:child_process';
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
