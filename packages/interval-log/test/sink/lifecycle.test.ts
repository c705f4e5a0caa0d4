import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createRegistry } from '@hdrscope/registry';
import { openIntervalLog } from '../../src/index.ts';
import { intervalsOf } from '../support/read.ts';
import { newDirectory } from '../support/sandbox.ts';
import { opened } from './support/opened.ts';

describe('opening', () => {
  test('is refused while another sink has the file open', async () => {
    const path = join(newDirectory(), 'app.hlog');
    const first = await openIntervalLog(createRegistry(), { path });
    if (process.platform === 'linux') {
      await expect(openIntervalLog(createRegistry(), { path })).rejects.toMatchObject({
        code: 'ERR_LOG_WRITE',
        message: expect.stringContaining('by one sink at a time'),
      });
    }
    await first.close();
    await (await openIntervalLog(createRegistry(), { path })).close();
  });

  test.each([
    ['a directory that does not exist', (path: string) => join(path, 'none', 'app.hlog')],
    ['a directory', (path: string) => path],
    ['a device', () => '/dev/null'],
  ])('%s is refused', async (_, pathIn) => {
    const path = pathIn(newDirectory());
    await expect(openIntervalLog(createRegistry(), { path })).rejects.toMatchObject({
      code: 'ERR_LOG_WRITE',
      message: expect.stringContaining(path),
      details: { operation: 'open', path },
    });
  });

  test.each([
    [{ path: '' }, 'path must be the path of a file, got ""'],
    [{ intervalMs: 0 }, 'intervalMs must be a number of milliseconds from 1 to 2^31 - 1, got 0'],
    [
      { closeTimeoutMs: Number.NaN },
      'closeTimeoutMs must be a number of milliseconds above 0 and at most 2^31 - 1, got NaN',
    ],
    [{ level: 10 }, 'level must be an integer from 0 to 9, got 10'],
    [
      { rotation: { sizeBytes: 0.5 } },
      'rotation.sizeBytes must be an integer of at least 1, or Infinity, got 0.5',
    ],
    [{ interval: 500 }, 'openIntervalLog has no option "interval": did you mean intervalMs?'],
    [{ rotation: { everyMs: 0 } }, 'rotation.everyMs must be a number of at least 1, got 0'],
    [{ rotation: { keep: -1 } }, 'rotation.keep must be an integer of at least 0, or Infinity, got -1'],
    [
      { rotation: { onSignal: 'SIGKILL' as const } },
      /^rotation.onSignal must be a signal that can be handled/,
    ],
    [{ fsync: 'always' as 'never' }, "fsync must be 'never', 'rotation' or 'interval', got \"always\""],
    [{ timeZone: 'Mars' }, /^timeZone/],
  ])('with %o is refused', async (options, message) => {
    const path = join(newDirectory(), 'app.hlog');
    await expect(openIntervalLog(createRegistry(), { path, ...options })).rejects.toThrow(
      expect.objectContaining({
        code: 'ERR_INVALID_OPTION',
        message: typeof message === 'string' ? message : expect.stringMatching(message),
      }),
    );
    expect(existsSync(path)).toBe(false);
  });
});

describe('closing', () => {
  test('writes the last interval, stops all timers and handlers, and happens once', async () => {
    const log = await opened({ rotation: { onSignal: 'SIGHUP' } });
    expect([log.time.timerCount, log.signals.listenerCount('SIGHUP')]).toEqual([1, 1]);
    log.record();
    expect(log.sink.close()).toBe(log.sink.close());
    await log.sink.close();
    expect([log.time.timerCount, log.signals.listenerCount('SIGHUP')]).toEqual([0, 0]);
    expect(log.sink.health).toMatchObject({ isClosed: true, intervals: 1 });
    log.record();
    expect([await log.sink.flush(), await log.sink.rotate()]).toEqual([false, false]);
    expect((await intervalsOf(log.path)).length).toBe(1);
  });

  test('gives up on a hanging write, and reports it', async () => {
    const log = await opened({ closeTimeoutMs: 10 });
    let open = (): void => {};
    log.faulty.gate = new Promise((resolve) => {
      open = resolve;
    });
    log.record();
    await log.sink.close();
    expect(log.events).toEqual([expect.stringContaining('the last interval was not written within 10 ms')]);
    open();
  });

  test('ends while the disk is full', async () => {
    const log = await opened();
    log.record();
    log.faulty.faults.write.push({ code: 'ENOSPC' });
    await log.sink.close();
    expect(log.events).toEqual([expect.stringContaining('ENOSPC')]);
    expect(log.sink.health).toMatchObject({ isFailing: true, intervals: 0, isClosed: true });
  });
});
