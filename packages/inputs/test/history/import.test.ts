import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Histogram } from '@hdrscope/core';
import { formatInterval } from '@hdrscope/interval-log';
import { type ImportedOtlp, importLog, importOtlp, type OtlpFile } from '../../src/history/index.ts';

const START_SEC = Date.UTC(2026, 10, 10) / 1000;
const A7 = { attributes: { host: 'a7' } };
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'import-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function logOf(startSec: number): Uint8Array {
  const histogram = new Histogram();
  histogram.record(5_000_000);
  return Buffer.from(formatInterval(histogram, { startSec, endSec: startSec + 1 }));
}

test('a log is imported once, and not again with other options', async () => {
  const log = logOf(START_SEC);
  expect((await importLog(log, folder, A7)).imported).toMatchObject({ rows: 1, knownRows: 0 });
  expect((await importLog(log, folder, A7)).imported).toMatchObject({ rows: 0, knownRows: 1 });
  expect(readdirSync(folder).sort()).toEqual(['_imports', 'day=2026-11-10']);
  await expect(importLog(log, folder, { ...A7, everyMs: 1000 })).rejects.toMatchObject({
    code: 'ERR_ALREADY_REGISTERED',
    details: { folder, reason: 'options' },
  });
});

test('a log of more series than a registry has by default keeps all of them', async () => {
  const histogram = new Histogram();
  histogram.record(5_000_000);
  const count = 2_500;
  const lines = Array.from({ length: count }, (_, i) =>
    formatInterval(histogram, { startSec: START_SEC, endSec: START_SEC + 1, tag: `rpc?route=${i}` }),
  );
  const { imported } = await importLog(Buffer.from(lines.join('')), folder, A7);
  expect(imported).toMatchObject({ rows: count });
});

test('refuses a log without times, and stretches that do not divide a day', async () => {
  await expect(importLog(logOf(1), folder)).rejects.toMatchObject({ code: 'ERR_LOG_TIME' });
  await expect(importLog(logOf(START_SEC), folder, { everyMs: 7001 })).rejects.toThrow(
    'everyMs must be a number of milliseconds that divides a day, got 7001',
  );
});

test('what cannot be read of a file of OTLP goes to the caller, and a cumulative stream goes on in the next file', async () => {
  const request = (atSec: number, count: number): string => {
    const point = {
      startTimeUnixNano: `${START_SEC}000000000`,
      timeUnixNano: `${START_SEC + atSec}000000000`,
      ...{ count: `${count}`, sum: count, bucketCounts: [`${count}`, '0'], explicitBounds: [2] },
    };
    const metric = { name: 'rpc', unit: 's', histogram: { aggregationTemporality: 2, dataPoints: [point] } };
    return `${JSON.stringify({ resourceMetrics: [{ scopeMetrics: [{ metrics: [metric] }] }] })}\n`;
  };
  const file = (name: string, text: string): OtlpFile => ({
    name,
    encoding: 'json',
    bytes: (async function* () {
      yield Buffer.from(text);
    })(),
  });
  const files = [file('a', `${request(10, 3)}${request(20, 5)}{"broken"\n`), file('b', request(30, 9))];
  const bad: string[] = [];
  const done: ImportedOtlp[] = [];
  const onMalformed = ({ lineNumber }: { lineNumber: number }, { name }: OtlpFile): unknown =>
    bad.push(`${name}: ${lineNumber}`);
  for await (const one of importOtlp(files, folder, { onMalformed, everyMs: 10_000 })) done.push(one);
  expect(bad).toEqual(['a: 3']);
  expect(done.map(({ name, imported, losses }) => [name, imported.rows, losses.before])).toEqual([
    ['a', 2, 0],
    ['b', 1, 0],
  ]);
});
