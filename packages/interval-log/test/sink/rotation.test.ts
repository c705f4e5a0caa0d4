import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { createRegistry, type Registry } from '@hdrscope/registry';
import fc from 'fast-check';
import type { RotationOptions } from '../../src/internal.ts';
import { rotatedLogs, rotatedNames } from '../../src/sink/archive.ts';
import { openSink } from '../../src/sink/open.ts';
import type { IntervalLogSink } from '../../src/sink/sink.ts';
import { intervalsOf } from '../support/read.ts';
import { newDirectory } from '../support/sandbox.ts';
import { logsIn, totalsIn } from './support/logs.ts';
import { type Surroundings, surroundings, until } from './support/surroundings.ts';

const MIDNIGHT_MS = Date.UTC(2026, 0, 2);

interface Rotating extends Surroundings {
  readonly sink: IntervalLogSink;
  readonly directory: string;
  readonly registry: Registry;
  /** Records a value and writes it to the log. */
  count(value?: number): Promise<void>;
  names(): string[];
}

async function rotating(
  rotation: RotationOptions,
  wallMs: number,
  directory = newDirectory(),
): Promise<Rotating> {
  const around = surroundings(wallMs);
  const registry = createRegistry({ clock: around.time });
  const path = join(directory, 'app.hlog');
  const sink = await openSink(registry, { path, rotation, onError: () => {} }, around.runtime);
  const series = registry.histogram({ name: 'x', unit: 'By' }).with({});
  const count = async (value = 1): Promise<void> => {
    series.record(value);
    around.time.advance(100);
    await sink.flush();
  };
  return { ...around, sink, directory, registry, count, names: () => readdirSync(directory).sort() };
}

test('a file does not grow above its size limit, and each has the header that a reader needs', async () => {
  const log = await rotating({ sizeBytes: 1000 }, MIDNIGHT_MS);
  for (let n = 0; n < 20; n++) await log.count(n);
  await log.sink.close();
  const paths = logsIn(log.directory);
  expect(paths.length).toBeGreaterThan(2);
  for (const path of paths) {
    const text = readFileSync(path, 'utf8');
    expect(text.length).toBeLessThanOrEqual(1000);
    expect(text.match(/^#\[(Histogram log|StartTime|BaseTime|Family)/gm)).toHaveLength(4);
  }
  expect((await totalsIn(log.directory)).get('x')!.totalCount).toBe(20);
  expect(log.sink.health.rotations).toBe(paths.length - 1);
});

test('a file is rotated at midnight, and a file of an earlier day when it is opened', async () => {
  const rotation = { everyMs: 86_400_000 };
  const log = await rotating(rotation, MIDNIGHT_MS - 250);
  for (let n = 0; n < 5; n++) await log.count();
  expect(log.names()).toEqual(['app.20260102T000000Z.hlog', 'app.hlog']);
  expect((await intervalsOf(join(log.directory, 'app.20260102T000000Z.hlog'))).length).toBe(3);
  await log.sink.close();
  // The file system stamped the file with the real date, which is another day than that of the fake clock.
  const next = await rotating(rotation, MIDNIGHT_MS + 86_400_000, log.directory);
  expect(next.names()).toEqual(['app.20260102T000000Z.hlog', 'app.20260103T000000Z.hlog']);
  await next.sink.close();
});

test('a file is rotated at midnight even if no series has counted anything', async () => {
  const log = await rotating({ everyMs: 86_400_000 }, MIDNIGHT_MS - 250);
  await log.count();
  log.time.advance(1000);
  await until(() => log.sink.health.rotations === 1);
  await log.sink.close();
});

test('a signal rotates the file after the interval is written', async () => {
  const log = await rotating({ onSignal: 'SIGHUP' }, MIDNIGHT_MS);
  log.registry.histogram({ name: 'x', unit: 'By' }).with({}).record(1);
  log.signals.emit('SIGHUP');
  await until(() => log.sink.health.rotations === 1);
  await log.sink.close();
  expect((await totalsIn(log.directory)).get('x')!.totalCount).toBe(1);
  expect(log.names()).toEqual(['app.20260102T000000Z.hlog']);
});

test('an empty file is not rotated', async () => {
  const log = await rotating({}, MIDNIGHT_MS);
  expect(await log.sink.rotate()).toBe(false);
  expect(log.names()).toEqual(['app.hlog']);
  await log.sink.close();
});

test('names of rotations in the same second sort by time, and no file replaces another', async () => {
  const log = await rotating({}, MIDNIGHT_MS);
  for (let n = 1; n <= 3; n++) {
    log.registry.histogram({ name: 'x', unit: 'By' }).with({}).record(n);
    expect(await log.sink.rotate()).toBe(true);
  }
  await log.sink.close();
  const maxima = await Promise.all(
    logsIn(log.directory).map(async (path) => (await intervalsOf(path))[0]!.writtenMax),
  );
  expect(maxima).toEqual([1, 2, 3]);
});

test('a failed rotation is tried again, and intervals are written meanwhile', async () => {
  const log = await rotating({}, MIDNIGHT_MS);
  log.faulty.faults.rename.push({ code: 'EACCES' }, { code: 'EACCES' });
  await log.count();
  expect(await log.sink.rotate()).toBe(false);
  await log.count();
  expect(log.sink.health).toMatchObject({ isFailing: true, failures: 2, intervals: 2, rotations: 0 });
  await log.count();
  expect(log.sink.health).toMatchObject({ isFailing: false, rotations: 1, intervals: 3 });
  await log.sink.close();
  expect((await totalsIn(log.directory)).get('x')!.totalCount).toBe(3);
});

test('rotated logs are compressed, and the oldest removed', async () => {
  const log = await rotating({ gzip: true, keep: 2 }, MIDNIGHT_MS);
  for (let n = 1; n <= 4; n++) {
    log.time.advance(1000);
    await log.count(n);
    await log.sink.rotate();
  }
  await log.count(5);
  await log.sink.close();
  expect(log.names()).toEqual(['app.20260102T000003Z.hlog.gz', 'app.20260102T000004Z.hlog.gz', 'app.hlog']);
  expect((await totalsIn(log.directory)).get('x')!.totalCount).toBe(3);
});

test('a compression that a crash has interrupted is taken up when the log is opened', async () => {
  const directory = newDirectory();
  const file = (name: string): string => join(directory, name);
  const log = await rotating({}, MIDNIGHT_MS, directory);
  await log.count();
  await log.sink.rotate();
  await log.sink.close();
  const [rotated] = log.names();
  const whole = readFileSync(file(rotated!));
  writeFileSync(file(`${rotated}.gz.part`), gzipSync(whole).subarray(0, 100));
  // A log whose compressed form is complete, and a partial form whose original is gone.
  writeFileSync(file('app.20260101T000000Z.hlog'), whole);
  writeFileSync(file('app.20260101T000000Z.hlog.gz'), gzipSync(whole));
  writeFileSync(file('app.20260101T000001Z.hlog.gz.part'), 'x');
  writeFileSync(file('app.20260101T000001Z.other'), 'not ours');
  const next = await rotating({ gzip: true }, MIDNIGHT_MS + 1000, directory);
  await next.sink.close();
  expect(next.names()).toEqual([
    'app.20260101T000000Z.hlog.gz',
    'app.20260101T000001Z.other',
    `${rotated}.gz`,
    'app.hlog',
  ]);
  expect((await totalsIn(directory)).get('x')!.totalCount).toBe(2);
});

test('a failed compression is reported, keeps the original, and is tried again at the next rotation', async () => {
  const log = await rotating({ gzip: true }, MIDNIGHT_MS);
  await log.count();
  log.faulty.faults.unlink.push({ code: 'EACCES' });
  await log.sink.rotate();
  await until(() => log.sink.health.isFailing);
  expect(log.sink.health.lastError).toMatchObject({
    code: 'ERR_LOG_WRITE',
    message: expect.stringContaining('cannot maintain the rotated logs of'),
    cause: { code: 'EACCES' },
  });
  await log.count();
  await log.sink.rotate();
  await log.sink.close();
  expect(log.sink.health.isFailing).toBe(false);
  expect(log.names()).toEqual(['app.20260102T000000Z.hlog.gz', 'app.20260102T000000Z_0001.hlog.gz']);
  expect((await totalsIn(log.directory)).get('x')!.totalCount).toBe(2);
});

test('names of rotated logs sort by time, and rotatedLogs finds them', () => {
  const times = fc.array(
    fc.integer({ min: 0, max: 30 }).map((n) => MIDNIGHT_MS + n * 400),
    { maxLength: 30 },
  );
  const paths = fc.constantFrom('/var/log/app.hlog', '/var/log/app', '/var/log/a.b+c (1).hlog', 'app.hlog');
  fc.assert(
    fc.property(times, paths, (unsorted, path) => {
      const names: string[] = [];
      for (const timeMs of unsorted.sort((a, b) => a - b)) {
        for (const name of rotatedNames(path, timeMs)) {
          if (names.includes(name)) continue;
          names.push(name);
          break;
        }
      }
      expect([...names].sort()).toEqual(names);
      const found = rotatedLogs(path, names.map((name) => name.slice(name.lastIndexOf('/') + 1)).reverse());
      expect(found.map((one) => one.path)).toEqual(names);
    }),
  );
});
