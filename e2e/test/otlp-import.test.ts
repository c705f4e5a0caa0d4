import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { sendOtlp } from '@hdrscope/otel/sender';
import { createRegistry } from '@hdrscope/registry';
import { describeWithPeers } from '@hdrscope/testing';
import { startCollector } from './support/collector.ts';
import { freePort, stopPeers, waitFor } from './support/peer-process.ts';

const run = promisify(execFile);
const COMMAND = join(import.meta.dirname, '../../packages/cli/bin/hdrscope.js');
const METRIC = 'job.duration';
const EXPORTS = 5;
const VALUES = 200;

describeWithPeers(['collector'])('files that a Collector writes, imported into a history', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'hdrscope-import-'));
  });
  afterEach(async () => {
    await stopPeers();
    rmSync(folder, { recursive: true });
  });

  const hdrscope = async (...args: string[]): Promise<string> =>
    (await run(process.execPath, [COMMAND, ...args])).stdout;

  test.each([
    ['json', 'delta'],
    ['json', 'cumulative'],
    ['proto', 'delta'],
    ['proto', 'cumulative'],
  ] as const)('%s, %s: every value is there once', async (format, temporality) => {
    const file = join(folder, `metrics.${format}`);
    const ports = [await freePort(), await freePort(), await freePort()] as const;
    const collector = await startCollector({ ports, file, format });
    const registry = createRegistry();
    const family = registry.histogram({ name: METRIC, unit: 's' });
    const sender = sendOtlp(registry, { url: `${collector.httpUrl}/v1/metrics`, temporality });
    for (let at = 0; at < EXPORTS; at++) {
      for (let i = 1; i <= VALUES; i++)
        family.with({ route: i % 2 === 0 ? '/even' : '/odd' }).record(i / 1000);
      const sizeBefore = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
      await sender.flush();
      await waitFor(() => (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > sizeBefore, {
        what: 'the request in the file',
      });
    }
    await sender.close();
    const history = join(folder, 'history');
    await hdrscope('history', 'import', file, '-o', history);
    // A second import adds nothing.
    await hdrscope('history', 'import', file, '-o', history);
    const { groups } = JSON.parse(
      await hdrscope('query', history, '--metric', METRIC, '--by', 'route', '--json'),
    );
    expect(groups.map(({ name, count }: { name: string; count: number }) => [name, count])).toEqual([
      ['route=/even', (EXPORTS * VALUES) / 2],
      ['route=/odd', (EXPORTS * VALUES) / 2],
    ]);
  });
});
