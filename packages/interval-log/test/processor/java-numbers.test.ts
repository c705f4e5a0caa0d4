import { formatJavaDouble, parseJavaDouble, parseJavaInteger } from '../../src/processor/java-numbers.ts';

// Expected values are those of Java 17.
test.each([
  ['1', 1],
  [' 1.5\t', 1.5],
  ['.5', 0.5],
  ['5.', 5],
  ['+1e-3', 0.001],
  ['1e400', Number.POSITIVE_INFINITY],
  ['2f', 2],
  ['2D', 2],
  ['-Infinity', Number.NEGATIVE_INFINITY],
  ['NaN', Number.NaN],
  ['0x1.8p1', 3],
  ['-0X.4P0', -0.25],
])('Double.parseDouble takes %j', (text, value) => {
  expect(parseJavaDouble(text, 'it')).toBe(value);
});

test.each(['', '.', '1_000', '1,5', 'infinity', '0x10', '0xp1', '1e', '1L', '\u00a01'])(
  'Double.parseDouble refuses %j',
  (text) => {
    expect(() => parseJavaDouble(text, 'it')).toThrow('it must be a number');
  },
);

test.each([`${'1'.repeat(100_000)}x`, `0x${'1'.repeat(100_000)}`, `1${' '.repeat(100_000)}x`])(
  'a long text costs little',
  (text) => {
    const startMs = performance.now();
    expect(() => parseJavaDouble(text, 'it')).toThrow('it must be a number');
    expect(performance.now() - startMs).toBeLessThan(1000);
  },
);

test.each([
  ['+5', 64, 5],
  ['-0', 32, 0],
  ['9223372036854775807', 64, 2 ** 63],
  ['-2147483648', 32, -(2 ** 31)],
] as const)('an integer %s of %d bits is taken', (text, bits, value) => {
  expect(parseJavaInteger(text, bits, 'it') + 0).toBe(value);
});

test.each([
  ['9223372036854775808', 64],
  ['2147483648', 32],
  ['1.0', 64],
  [' 1', 64],
  ['', 32],
  ['0x1', 64],
] as const)('an integer %j of %d bits is refused', (text, bits) => {
  expect(() => parseJavaInteger(text, bits, 'it')).toThrow('it must be an integer from -');
});

test.each([
  [99.9, '99.9'],
  [50, '50.0'],
  [0, '0.0'],
  [-0, '-0.0'],
  [0.001, '0.001'],
  [0.00001, '1.0E-5'],
  [1234567.5, '1234567.5'],
  [1e7, '1.0E7'],
  [1.5e300, '1.5E300'],
  [Number.NaN, 'NaN'],
  [Number.NEGATIVE_INFINITY, '-Infinity'],
])('Double.toString of %d is %s', (x, text) => {
  expect(formatJavaDouble(x)).toBe(text);
});
