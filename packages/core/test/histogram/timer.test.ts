import { Histogram } from '../../src/histogram/histogram.ts';
import { startTimer, type TimerOptions, type TimeUnit, time } from '../../src/histogram/timer.ts';
import { expectRefused } from '../support/refused.ts';

/** A clock that the test moves, and a list of the recorded values. */
class Watch {
  now = 1000;
  readonly recorded: number[] = [];
  readonly clock = (): number => this.now;

  record(value: number): void {
    this.recorded.push(value);
  }
}

/** A histogram for which every duration is too long. */
function narrow(): Histogram {
  return new Histogram({ highestTrackableValue: 2, significantDigits: 0 });
}

describe('a timer', () => {
  test.each<[TimeUnit, number]>([
    ['ns', 1_234_568],
    ['us', 1235],
    ['ms', 1],
    ['s', 0.001_234_567_8],
  ])('records in %s, in whole units but for seconds', (unit, expected) => {
    const watch = new Watch();
    watch.now = 0;
    const timer = startTimer(watch, { unit, clock: watch.clock });
    watch.now = 1.234_567_8;
    expect(timer.stop()).toBeCloseTo(expected, 12);
    expect(watch.recorded).toEqual([timer.stop()]);
  });

  test('rounds as its option says', () => {
    const watch = new Watch();
    const timers = (['s', 'ms'] as const).map((unit) =>
      startTimer(watch, { unit, clock: watch.clock, rounded: unit === 's' }),
    );
    watch.now += 1700.25;
    expect(timers.map((timer) => timer.stop())).toEqual([2, 1700.25]);
  });

  test('records nanoseconds by default', () => {
    const watch = new Watch();
    const timer = startTimer(watch, { clock: watch.clock });
    watch.now += 3;
    expect(timer.stop()).toBe(3_000_000);
  });

  test('records once, and returns the same duration when it is stopped again', () => {
    const watch = new Watch();
    const timer = startTimer(watch, { unit: 'ms', clock: watch.clock });
    watch.now += 3;
    expect(timer.stop()).toBe(3);
    watch.now += 4;
    timer.cancel();
    timer[Symbol.dispose]();
    expect([timer.stop(), watch.recorded]).toEqual([3, [3]]);
  });

  test('records nothing when it is cancelled', () => {
    const watch = new Watch();
    const timer = startTimer(watch, { unit: 'ms', clock: watch.clock });
    watch.now += 3;
    timer.cancel();
    watch.now += 4;
    expect([timer.stop(), watch.recorded]).toEqual([3, []]);
  });

  test('records at the end of the block that uses it, also when that throws', () => {
    const watch = new Watch();
    const options: TimerOptions = { unit: 'ms', clock: watch.clock };
    const failing = (): void => {
      using _timer = startTimer(watch, options);
      watch.now += 5;
      throw new RangeError('of the block');
    };
    expect(failing).toThrow(new RangeError('of the block'));
    expect(watch.recorded).toEqual([5]);
  });

  test('records no negative value when the clock is set back', () => {
    const watch = new Watch();
    const timer = startTimer(watch, { clock: watch.clock });
    watch.now -= 5;
    expect(timer.stop()).toBe(0);
  });

  test('asks the clock of the runtime by default', async () => {
    const histogram = new Histogram();
    const timer = startTimer(histogram, { unit: 'us' });
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(timer.stop()).toBeGreaterThan(15_000);
    expect([histogram.totalCount, histogram.countAt(timer.stop())]).toEqual([1, 1]);
  });

  test('leaves a refusal to its target, or to who asks for it', () => {
    const watch = new Watch();
    const histogram = narrow();
    const refusals: unknown[] = [];
    const onRefused = (error: unknown): void => void refusals.push(error);
    const timers = [
      startTimer(histogram, { clock: watch.clock }),
      startTimer(histogram, { clock: watch.clock, onRefused }),
    ];
    watch.now += 1;
    expect(timers.map((timer) => timer.stop())).toEqual([1_000_000, 1_000_000]);
    expect([histogram.outliers.thrown, histogram.totalCount]).toEqual([2, 0]);
    expect(refusals).toEqual([expect.objectContaining({ code: 'ERR_VALUE_OUT_OF_RANGE' })]);
  });

  test('refuses a unit that it does not know', () => {
    for (const unit of ['m', 'toString', '']) {
      expectRefused(() => startTimer(narrow(), { unit: unit as TimeUnit }), 'ERR_INVALID_OPTION');
    }
  });
});

describe('timing a function', () => {
  const options = (watch: Watch): TimerOptions => ({ unit: 'ms', clock: watch.clock });

  test('returns its result and records its duration', () => {
    const watch = new Watch();
    const action = (): string => {
      watch.now += 7;
      return 'result';
    };
    expect([time(watch, action, options(watch)), watch.recorded]).toEqual(['result', [7]]);
  });

  test('records it when it throws, too', () => {
    const watch = new Watch();
    const action = (): never => {
      watch.now += 7;
      throw new RangeError('of the action');
    };
    expect(() => time(watch, action, options(watch))).toThrow(new RangeError('of the action'));
    expect(watch.recorded).toEqual([7]);
  });

  test('waits for its promise', async () => {
    const watch = new Watch();
    const running = time(
      watch,
      async () => {
        await undefined;
        watch.now += 7;
        return 'result';
      },
      options(watch),
    );
    expect(watch.recorded).toEqual([]);
    expect([await running, watch.recorded]).toEqual(['result', [7]]);
  });

  test('records it when its promise is rejected, too', async () => {
    const watch = new Watch();
    const running = time(
      watch,
      async () => {
        await undefined;
        watch.now += 7;
        throw new RangeError('of the action');
      },
      options(watch),
    );
    await expect(running).rejects.toThrow(new RangeError('of the action'));
    expect(watch.recorded).toEqual([7]);
  });

  test('never fails for a duration that is refused', async () => {
    const watch = new Watch();
    const slow = <T>(result: T): T => {
      watch.now += 7;
      return result;
    };
    const histogram = narrow();
    expect(time(histogram, () => slow(1), options(watch))).toBe(1);
    expect(await time(histogram, () => slow(Promise.resolve(2)), options(watch))).toBe(2);
    await expect(time(histogram, () => slow(Promise.reject(3)), options(watch))).rejects.toBe(3);
    expect(histogram.outliers.thrown).toBe(3);
  });
});
