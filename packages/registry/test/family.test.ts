import { FakeClock } from '@hdrscope/testing/fake-clock';
import { refusalOf } from '@hdrscope/testing/refusals';
import { Family, OVERFLOW_ATTRIBUTES } from '../src/family.ts';
import type { FamilyOptions } from '../src/index.ts';
import { defaultResolution } from '../src/internal.ts';

function family(options: Partial<FamilyOptions> = {}): Family {
  return new Family({ name: 'x', ...options }, new FakeClock());
}

test.each([
  ['s', 1e-9, 'a nanosecond'],
  ['ms', 1e-6, 'a nanosecond'],
  ['us', 1e-3, 'a nanosecond'],
  ['ns', 1, 'a nanosecond'],
  ['min', 1e-9 / 60, 'a nanosecond'],
  ['h', 1e-9 / 3600, 'a nanosecond'],
  ['By', 1, 'one byte'],
  ['bit', 1, 'one bit'],
  ['{request}', 1, 'one request'],
  ['{}', 1, 'one'],
  ['1', 1e-6, 'a millionth'],
  ['', 1e-3, 'a thousandth'],
  ['Cel', 1e-3, 'a thousandth'],
  ['By/s', 1e-3, 'a thousandth'],
  ['constructor', 1e-3, 'a thousandth, though every object has a member of this name'],
])('the resolution of unit "%s" is %d by default: %s', (unit, resolution) => {
  expect(defaultResolution(unit)).toBeCloseTo(resolution, 25);
  expect(family({ unit }).unit).toBe(unit);
});

test.each([
  ['kBy', 1e3],
  ['MBy', 1e6],
  ['GBy', 1e9],
  ['KiBy', 2 ** 10],
  ['MiBy', 2 ** 20],
  ['GiBy', 2 ** 30],
])('a tenth of a %s is not counted as 0 by default', (unit) => {
  const counted = family({ unit });
  counted.with({}).record(0.1);
  const { histogram } = counted.snapshot().series[0]!;
  expect(counted.unitLayout.midpoint(histogram.counts.first)).toBeGreaterThan(0);
});

test.each([
  ['s', 1, { ticksPerUnit: 1e9, unitsPerTick: 1 }],
  ['ms', 1, { ticksPerUnit: 1e6, unitsPerTick: 1 }],
  ['us', 1, { ticksPerUnit: 1e3, unitsPerTick: 1 }],
  ['ns', 1, { ticksPerUnit: 1, unitsPerTick: 1 }],
  ['min', 1, { ticksPerUnit: 60e9, unitsPerTick: 1 }],
  ['h', 1, { ticksPerUnit: 3600e9, unitsPerTick: 1 }],
])('a family in %s counts whole nanoseconds', (unit, _, resolution) => {
  expect(family({ unit }).resolution).toEqual(resolution);
});

test('reaches far enough for a quarter of a year in nanoseconds', () => {
  const { layout, unitLayout } = family({ unit: 's' });
  expect(layout.highestTrackableValue).toBe(Number.MAX_SAFE_INTEGER);
  expect(unitLayout.lower(unitLayout.slotCount - 1)).toBeGreaterThan(90 * 24 * 3600);
});

test('has two digits, at most 2000 series and no unit by default', () => {
  const { layout, cardinalityLimit, unit, description, scope } = family();
  expect({ digits: layout.significantDigits, cardinalityLimit, unit, description, scope }).toEqual({
    digits: 2,
    cardinalityLimit: 2000,
    unit: '',
    description: '',
    scope: undefined,
  });
});

test('families of equal resolution and digits share their layouts, others do not', () => {
  const [seconds, alsoSeconds] = [family({ unit: 's' }), family({ name: 'y', resolution: 1e-9 })];
  expect(alsoSeconds.layout).toBe(seconds.layout);
  expect(alsoSeconds.unitLayout).toBe(seconds.unitLayout);
  expect(family({ unit: 'ms' }).unitLayout).not.toBe(seconds.unitLayout);
  expect(family({ unit: 's', significantDigits: 3 }).layout).not.toBe(seconds.layout);
});

test('a misspelt option is refused with the nearest name', () => {
  expect(() => family({ significantDigit: 3 } as never)).toThrow(
    'a family has no option "significantDigit": did you mean significantDigits?',
  );
});

const REFUSED: [message: string, options: Partial<Record<keyof FamilyOptions, unknown>>][] = [
  ['name must be a text, not empty, got ""', { name: '' }],
  ['name must be a text, not empty, got undefined', { name: undefined }],
  ['name must be a text, not empty, got 7', { name: 7 }],
  ['unit must be a text, got 7', { unit: 7 }],
  ['description must be a text, got null', { description: null }],
  ['scope must be an object, got "lib"', { scope: 'lib' }],
  ['scope must be an object, got null', { scope: null }],
  ['scope.name must be a text, got undefined', { scope: {} }],
  ['scope.version must be a text, got 2', { scope: { name: 'lib', version: 2 } }],
  ['boundaries must be an array of finite numbers, got null', { boundaries: null }],
  ['thresholds must be an array of finite numbers, got "1"', { thresholds: '1' }],
  ['expireAfterMs must be a number above 0, got 0', { expireAfterMs: 0 }],
  ['expireAfterMs must be a number above 0, got "5"', { expireAfterMs: '5' }],
  ['resolution must be a finite number above 0, got 0', { resolution: 0 }],
  ['resolution must be a finite number above 0, got -1', { resolution: -1 }],
  ['resolution must be a finite number above 0, got NaN', { resolution: Number.NaN }],
  ['resolution must be a finite number above 0, got Infinity', { resolution: Number.POSITIVE_INFINITY }],
  ['resolution must be a finite number above 0, got "1"', { resolution: '1' }],
  ['significantDigits must be an integer from 0 to 5, got 6', { significantDigits: 6 }],
  ['significantDigits must be an integer from 0 to 5, got 1.5', { significantDigits: 1.5 }],
  ['significantDigits must be an integer from 0 to 5, got -1', { significantDigits: -1 }],
  ['cardinalityLimit must be an integer of at least 1, got 0', { cardinalityLimit: 0 }],
  ['cardinalityLimit must be an integer of at least 1, got 1.5', { cardinalityLimit: 1.5 }],
  [
    'cardinalityLimit must be an integer of at least 1, got Infinity',
    { cardinalityLimit: Number.POSITIVE_INFINITY },
  ],
];

test.each(REFUSED)('%s', (message, options) => {
  const refusal = refusalOf(() => family(options as Partial<FamilyOptions>));
  expect(refusal.code).toBe('ERR_INVALID_OPTION');
  expect(refusal.message).toBe(message);
});

test('gives the same series for equal attributes, also to a caller that keeps it', () => {
  const counted = family();
  const series = counted.with({ method: 'GET' });
  series.record(1);
  counted.with({ method: 'GET' }).record(2);
  expect(counted.with({ method: 'GET' })).toBe(series);
  expect(series.snapshot().histogram.totalCount).toBe(2);
});

test('reads known attributes once, and makes no text of them', () => {
  const counted = family();
  let reads = 0;
  const given = {
    get method(): string {
      reads++;
      return 'GET';
    },
  };
  const series = counted.with(given);
  reads = 0;
  expect(counted.with(given)).toBe(series);
  expect(reads).toBe(1);
});

test('starts a series at the first request for it', () => {
  const clock = new FakeClock(1000);
  const counted = new Family({ name: 'x' }, clock);
  const early = counted.with({ a: 1 });
  clock.advance(500);
  const late = counted.with({ a: 2 });
  expect([early.startTimeMs, late.startTimeMs, counted.with({ a: 1 }).startTimeMs]).toEqual([
    1000, 1500, 1000,
  ]);
});

test('keeps its scope as it was given, whatever the caller changes later', () => {
  const scope = { name: 'shop', version: '1' };
  const counted = family({ scope });
  scope.version = '2';
  expect(counted.scope).toEqual({ name: 'shop', version: '1' });
  expect(counted.snapshot().scope).toEqual({ name: 'shop', version: '1' });
});

test('marks the overflow series as OpenTelemetry does', () => {
  // https://opentelemetry.io/docs/specs/otel/metrics/sdk/#overflow-attribute
  expect(OVERFLOW_ATTRIBUTES).toStrictEqual({ 'otel.metric.overflow': true });
  expect(Object.isFrozen(OVERFLOW_ATTRIBUTES)).toBe(true);
});
