import { mkdirSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createRegistry } from '@hdrscope/registry';
import { openSink } from '../../src/sink/open.ts';
import { intervalsOf } from '../support/read.ts';
import { newDirectory } from '../support/sandbox.ts';
import { logsIn, totalsIn } from './support/logs.ts';
import { opened, START_MS, tick } from './support/opened.ts';
import { surroundings, until } from './support/surroundings.ts';

const { emitWarning } = process;
afterEach(() => {
  process.emitWarning = emitWarning;
});

/** Collects the warnings of the process until the test ends. */
function takeWarnings(): string[] {
  const warnings: string[] = [];
  process.emitWarning = (warning: string | Error) => void warnings.push(String(warning));
  return warnings;
}

describe('a log', () => {
  test('has a header, a comment for each family, and a line for each series that has counted something', async () => {
    const log = await opened({ timeZone: 'UTC', comment: 'shop 1.2.3' });
    const { registry, sink, path } = log;
    registry
      .histogram({ name: 'sizes', unit: 'By', description: 'two\nlines' })
      .with({ 'a b': 1 })
      .record(2000);
    registry.histogram({ name: 'ratio', unit: '1', significantDigits: 3 }).with({}).record(0.5);
    log.record(0.25);
    await tick(log);
    await tick(log);
    log.record(0.5);
    await tick(log);
    await sink.close();
    const [version, writer, comment, start, base, legend, ...rest] = readFileSync(path, 'utf8').split('\n');
    expect(version).toBe('#[Histogram log format version 1.3]');
    expect(writer).toMatch(/^#\[Written by hdrscope, process \d+ on .*\]$/);
    expect(comment).toBe('#[shop 1.2.3]');
    expect(start).toBe('#[StartTime: 1700000000.000 (seconds since epoch), Tue Nov 14 22:13:20 UTC 2023]');
    expect(base).toBe('#[BaseTime: 1700000000.000 (seconds since epoch)]');
    expect(legend).toMatch(/^"StartTimestamp"/);
    expect(rest.slice(0, 3)).toEqual([
      '#[Family: {"name":"rpc","unit":"s","resolution":1e-9,"significantDigits":2,"description":""}]',
      '#[Family: {"name":"sizes","unit":"By","resolution":1,"significantDigits":2,"description":"two\\nlines"}]',
      '#[Family: {"name":"ratio","unit":"1","resolution":0.000001,"significantDigits":3,"description":""}]',
    ]);
    // The highest value of the slot, in milliseconds for a unit of time, otherwise in the unit.
    expect(rest.slice(3).map((line) => line.replace(/HIST.*/, ''))).toEqual([
      'Tag=rpc,0.000,1.000,250.610,',
      'Tag=sizes?a%20b=1,0.000,1.000,2007.000,',
      'Tag=ratio,0.000,1.000,0.500,',
      'Tag=rpc,2.000,1.000,501.219,',
      '',
    ]);
  });

  test('has a comment about values that could not be counted', async () => {
    const log = await opened();
    log.record(-1);
    log.record(Number.NaN);
    await log.sink.flush();
    await log.sink.close();
    expect(readFileSync(log.path, 'utf8')).toContain(
      '#[Rejected: {"tag":"rpc","notANumber":1,"negative":1,"tooLarge":0,"largest":0,"overflowing":0}]',
    );
  });

  test('begins with the counts from before it was opened, and with their start time', async () => {
    const { time, runtime } = surroundings(START_MS);
    const registry = createRegistry({ clock: time });
    registry.histogram({ name: 'rpc', unit: 's' }).with({}).record(1);
    const since = await registry.gather();
    time.advance(5000);
    for (const [name, options, expected] of [
      ['all', {}, [[START_MS / 1000, 6, 2]]],
      ['rest', { since }, [[START_MS / 1000, 6, 1]]],
    ] as const) {
      const path = join(newDirectory(), `${name}.hlog`);
      const sink = await openSink(registry, { path, ...options }, runtime);
      if (name === 'all') registry.histogram({ name: 'rpc', unit: 's' }).with({}).record(1);
      if (name === 'all') time.advance(1000);
      await sink.close();
      const intervals = await intervalsOf(path);
      const facts = intervals.map((one) => [one.startSec, one.lengthSec, one.histogram().totalCount]);
      expect(facts).toEqual(expected);
    }
  });

  test('distinguishes families of the same name by their scope', async () => {
    const { registry, sink, path } = await opened();
    for (const name of ['one', 'two']) {
      registry
        .histogram({ name: 'x', scope: { name, version: '1' } })
        .with({ a: 1 })
        .record(1);
    }
    await sink.close();
    expect((await intervalsOf(path)).map(({ tag }) => tag)).toEqual([
      'x?a=1',
      'x?a=1&otel.scope.name=two&otel.scope.version="1"',
    ]);
  });
});

describe('intervals', () => {
  test('end at multiples of their length on the wall clock if aligned, and again after the clock was set', async () => {
    const log = await opened({ intervalMs: 10_000, aligned: true });
    log.time.advance(3500);
    const wholeIntervals: boolean[] = [];
    for (const stepMs of [0, 0, 2500, 0, 0, -3_600_000 - 1200, 0, 0]) {
      log.time.setWallClock(log.time.nowMs() + stepMs);
      log.record();
      const { intervals } = log.sink.health;
      // Small steps show when the interval ends.
      for (let n = 0; n < 200 && log.sink.health.intervals === intervals; n++) {
        log.time.advance(100);
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
      wholeIntervals.push(log.sink.health.writtenUntilMs % 10_000 === 0);
    }
    await log.sink.close();
    // One tick is late after the clock was set forward.
    expect(wholeIntervals).toEqual([true, true, false, true, true, true, true, true]);
  });

  test('have the length of the monotonic clock after the wall clock was set back, and no negative timestamp', async () => {
    const log = await opened();
    log.time.setWallClock(START_MS - 3_600_000);
    log.record();
    await tick(log);
    await log.sink.close();
    const [interval] = await intervalsOf(log.path);
    expect(interval).toMatchObject({ timestampSec: 0, lengthSec: 1, startSec: START_MS / 1000 - 3600 });
  });

  test('are skipped while another one is written, and their counts come with the next', async () => {
    const log = await opened();
    let open = (): void => {};
    log.faulty.gate = new Promise((resolve) => {
      open = resolve;
    });
    log.record();
    log.time.advance(1000);
    await until(() => log.faulty.writesInFlight === 1);
    log.record();
    log.time.advance(5000);
    expect(log.sink.health.skippedTicks).toBe(5);
    open();
    await until(() => log.sink.health.intervals === 1);
    await log.sink.flush();
    await log.sink.close();
    expect(log.faulty.mostWritesInFlight).toBe(1);
    const facts = (await intervalsOf(log.path)).map((one) => [one.lengthSec, one.histogram().totalCount]);
    expect(facts).toEqual([
      [1, 1],
      [5, 1],
    ]);
  });

  test('go on while a source hangs, which counts as failing', async () => {
    const log = await opened({ gatherTimeoutMs: 5 });
    log.registry.add({ name: 'hangs', collect: () => new Promise(() => {}) });
    log.record();
    expect(await log.sink.flush()).toBe(true);
    expect(log.sink.health).toMatchObject({ failingSources: 1, lines: 1 });
    await log.sink.close();
  });
});

describe('a failure', () => {
  test.each([
    ['a full disk', { write: [{ code: 'ENOSPC' }] }],
    ['a disk that takes half', { write: [{ code: 'ENOSPC', afterBytes: 20 }] }],
    [
      'a part that cannot be cut off',
      { write: [{ code: 'EIO', afterBytes: 20 }], truncate: [{ code: 'EIO' }] },
    ],
    ['a failing fsync', { datasync: [{ code: 'EIO' }] }],
  ])('with %s is reported once, and so is the recovery; no count is lost', async (_, faults) => {
    const log = await opened({ fsync: 'interval' });
    log.record();
    await tick(log);
    const whole = readFileSync(log.path);
    for (const [operation, list] of Object.entries(faults))
      log.faulty.faults[operation as 'write'].push(...list);
    log.faulty.faults.write.push(
      ...(log.faulty.faults.write.length > 0 ? [{ code: 'EIO' }, { code: 'EIO' }] : []),
    );
    log.record(0.5);
    await tick(log);
    log.record(0.7);
    await tick(log);
    await tick(log);
    await tick(log);
    await log.sink.close();
    expect(log.events).toEqual([
      expect.stringMatching(/^ERR_LOG_WRITE: cannot write .*app\.hlog: E/),
      'recovered',
    ]);
    expect(log.sink.health.isFailing).toBe(false);
    expect(log.sink.health.lastError).toMatchObject({ cause: { code: expect.stringMatching(/ENOSPC|EIO/) } });
    expect(readFileSync(log.path).subarray(0, whole.length)).toEqual(whole);
    const intervals = await intervalsOf(log.path);
    expect(intervals.reduce((sum, one) => sum + one.histogram().totalCount, 0)).toBe(3);
    expect(intervals[1]!.startSec).toBe(START_MS / 1000 + 1);
  });

  test('after the directory was removed ends when it is made again', async () => {
    const log = await opened();
    log.record();
    await tick(log);
    rmSync(log.directory, { recursive: true });
    log.record();
    await tick(log);
    await tick(log);
    expect(log.sink.health).toMatchObject({ isFailing: true, failures: 2 });
    mkdirSync(log.directory);
    await tick(log);
    await log.sink.close();
    expect(log.events).toEqual([expect.stringContaining('ENOENT'), 'recovered']);
    const [interval] = await intervalsOf(log.path);
    expect([interval!.lengthSec, interval!.histogram().totalCount]).toEqual([3, 1]);
  });

  test('prevents snapshots until the disk has room', async () => {
    const log = await opened();
    log.record();
    log.faulty.faults.write.push(...Array.from({ length: 4 }, () => ({ code: 'ENOSPC' })));
    await tick(log);
    let gathered = 0;
    log.registry.add({ name: 'counter', collect: () => void gathered++ });
    for (let n = 0; n < 3; n++) await tick(log);
    expect(gathered).toBe(0);
    await tick(log);
    expect(gathered).toBe(1);
    await log.sink.close();
  });

  test('in a listener is a warning, and the sink goes on', async () => {
    const warnings = takeWarnings();
    const log = await opened({
      onError: () => {
        throw new Error('broken listener');
      },
    });
    log.record();
    log.faulty.faults.write.push({ code: 'EIO' });
    expect(await log.sink.flush()).toBe(false);
    expect(await log.sink.flush()).toBe(true);
    expect(warnings).toEqual(['broken listener']);
    await log.sink.close();
  });

  test('without a listener is a warning', async () => {
    const warnings = takeWarnings();
    const { runtime, faulty } = surroundings();
    const sink = await openSink(createRegistry(), { path: join(newDirectory(), 'app.hlog') }, runtime);
    faulty.faults.open.push({ code: 'EACCES' });
    rmSync(sink.health.path);
    await sink.rotate();
    expect(warnings).toEqual([expect.stringMatching(/^cannot open .*EACCES/)]);
    await sink.close();
  });
});

describe('a file that another process changes', () => {
  test.each([
    ['moved away', (path: string) => renameSync(path, `${path}.1`)],
    [
      'moved, with a new one in its place',
      (path: string) => {
        renameSync(path, `${path}.1`);
        writeFileSync(path, '');
      },
    ],
    ['appended to', (path: string) => writeFileSync(path, '#[deployed]\n', { flag: 'a' })],
  ])('%s: the sink goes on in the file at the path, with a header', async (_, touch) => {
    const log = await opened();
    log.record(1);
    await tick(log);
    touch(log.path);
    log.record(1);
    await tick(log);
    await log.sink.close();
    expect(log.events).toEqual([]);
    expect((await totalsIn(log.directory)).get('rpc')!.totalCount).toBe(2);
    for (const path of logsIn(log.directory)) {
      expect(readFileSync(path, 'utf8')).toMatch(/^#\[Histogram log format version 1.3\]\n/);
    }
    const headers = logsIn(log.directory).map(
      (path) => readFileSync(path, 'utf8').split('#[Family').length - 1,
    );
    expect(headers.reduce((sum, count) => sum + count)).toBe(2);
  });

  test('truncated in place: the next interval has a header', async () => {
    const log = await opened();
    log.record();
    await tick(log);
    truncateSync(log.path);
    log.record();
    await tick(log);
    await log.sink.close();
    expect((await intervalsOf(log.path)).length).toBe(1);
    expect(readFileSync(log.path)[0]).toBe('#'.charCodeAt(0));
  });
});
