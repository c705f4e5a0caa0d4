import { UsageError } from '../src/command.ts';
import { parseObjective, thresholdIn } from '../src/objective.ts';

test.each([
  ['p99.9=250ms', 99.9, 'ms', 250],
  ['99.9=250ms', 99.9, 'ns', 250e6],
  ['p99.9 <= 50ms', 99.9, 's', 0.05],
  ['max=1s', 100, 'us', 1e6],
  ['50ms', undefined, 'ms', 50],
  ['p50=1h30m', 50, 's', 5400],
  ['p99=64KiB', 99, 'KiB', 64],
  ['99=64KiB', 99, 'bytes', 65_536],
  ['p99=200', 99, 'none', 200],
] as const)('reads %s', (text, percentile, unit, threshold) => {
  const objective = parseObjective(text);
  expect(objective.percentile).toBe(percentile);
  expect(thresholdIn(objective, unit)).toBe(threshold);
});

test.each(['', 'p=50ms', 'p101=50ms', 'p99.9=', 'p99.9=soon', 'x99=5ms', '=5ms', 'p-1=5ms'])(
  'refuses %j',
  (text) => {
    expect(() => parseObjective(text, '--slo')).toThrow(UsageError);
  },
);

test('refuses a bare number for values with a unit, and says what to type', () => {
  const objective = parseObjective('p99.9=50');
  expect(() => thresholdIn(objective, 'ns')).toThrow(
    "--slo needs a unit because the values are in ns, as in p99.9=50ms: got 'p99.9=50'",
  );
  expect(() => thresholdIn(objective, 'bytes')).toThrow('as in p99.9=50KiB');
});

test('refuses a unit of something else', () => {
  expect(() => thresholdIn(parseObjective('p99=5ms'), 'none')).toThrow(
    "--slo cannot be a time because the values have no unit, got 'p99=5ms': --unit states their unit",
  );
  expect(() => thresholdIn(parseObjective('p99=5KiB'), 'ms')).toThrow(
    'cannot be a size because the values are in ms',
  );
});
