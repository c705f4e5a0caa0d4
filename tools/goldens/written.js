/**
 * Recordings for the other direction only: HdrHistogram reads our encodings of them. `shifts` follow the recording, each
 * `[direction, orders]`.
 */
export const hdr = (lowestDiscernibleValue, highestTrackableValue, significantDigits) => ({
  lowestDiscernibleValue,
  highestTrackableValue,
  significantDigits,
  autoResize: false,
});

/** The smallest range. It grows with the recorded values. */
export const growing = (significantDigits) => ({
  lowestDiscernibleValue: 1,
  highestTrackableValue: 2,
  significantDigits,
  autoResize: true,
});

export const HOUR_US = 3_600_000_000;

/** Microseconds around 24 ms, from 0.1 ms to 8 s. */
export const latenciesUs = (n, seed) => ({ kind: 'lognormal', seed, n, min: 0, shift: 4, scale: 1 });

export const each = (...values) => values.map((value) => [value]);

const doubles = (highestToLowestValueRatio, significantDigits) => ({
  highestToLowestValueRatio,
  significantDigits,
  autoResize: false,
});
const growingDoubles = (significantDigits) => ({ ...doubles(2, significantDigits), autoResize: true });
const latencies = (n, seed, scale) => ({ kind: 'lognormal', seed, n, min: 1, shift: 4, scale });

const left = (orders) => ['shiftLeft', orders];
const right = (orders) => ['shiftRight', orders];

const UNITS = [2, 3, 1000, 2 ** 20, 2 ** 31 - 1, 2 ** 31];
const DIGITS = [0, 1, 2, 3, 4, 5];

const integerCases = [
  ...DIGITS.flatMap((digits) => [
    {
      name: `latencies, ${digits} digits`,
      options: hdr(1, HOUR_US, digits),
      generator: latenciesUs(500, 90),
    },
    { name: `growing, ${digits} digits`, options: growing(digits), generator: latenciesUs(500, 91) },
    {
      name: `shift left, ${digits} digits`,
      options: hdr(1, HOUR_US, digits),
      generator: latenciesUs(500, 92),
      shifts: [left(5)],
    },
  ]),
  ...UNITS.flatMap((unit) =>
    [0, 3, 5].map((digits) => ({
      name: `unit of ${unit}, ${digits} digits`,
      options: hdr(unit, unit * 2 ** 20, digits),
      recorded: [[0], [unit - 1], [unit, 3], [2 * unit - 1], [1000 * unit], [(2 ** 20 - 1) * unit, 2]],
    })),
  ),
  {
    name: 'unit of 1000, shift left and further',
    options: hdr(1000, HOUR_US * 1000, 3),
    recorded: each(0, 1, 1000, 2_000_000, 70_000_000),
    shifts: [left(2), left(7)],
  },
  {
    name: 'unit of 1000, shift right',
    options: hdr(1000, HOUR_US * 1000, 2),
    recorded: each(0, 2 ** 30, 2 ** 30 + 2 ** 25, 2 ** 36),
    shifts: [right(3), right(6)],
  },
  {
    name: 'shift left, then right beyond',
    options: hdr(1, HOUR_US, 2),
    recorded: each(0, 5000, 70_000, 1_000_000),
    shifts: [left(8), right(12)],
  },
  {
    name: 'shift right, as far as it goes',
    options: hdr(1, HOUR_US, 3),
    recorded: each(0, 2 ** 20, 2 ** 21 + 2 ** 12, 2 ** 31),
    shifts: [right(10)],
  },
  {
    name: 'shift right, then left by more',
    options: hdr(1, HOUR_US, 1),
    recorded: each(1024, 1500, 3000),
    shifts: [right(6), left(20)],
  },
  { name: 'shift left, growing', options: growing(2), recorded: each(1, 300, 40_000), shifts: [left(0)] },
];

const SPREAD = each(1, 0, 1e-7, 3e-5, 1e3, 0.5, 2 ** 17, 0, 1e-7);

const doubleCases = [
  ...DIGITS.flatMap((digits) => [
    {
      name: `doubles, moves down, ${digits} digits`,
      options: doubles(1e6, digits),
      recorded: each(1e3, 10, 0.7, 0.3, 0.01, 0.003),
    },
    {
      name: `doubles, moves up, ${digits} digits`,
      options: doubles(1e6, digits),
      recorded: each(0.003, 0.01, 0.3, 0.7, 10, 1e3),
    },
    {
      name: `doubles, moves down and up, ${digits} digits`,
      options: doubles(1e6, digits),
      recorded: each(1, 0.01, 0, 100, 0.5, 3000),
    },
    {
      name: `doubles, grows down, ${digits} digits`,
      options: growingDoubles(digits),
      recorded: each(1, 1e-3, 1e-9),
    },
    {
      name: `doubles, grows up, ${digits} digits`,
      options: growingDoubles(digits),
      recorded: each(1, 1e3, 1e9),
    },
    { name: `doubles, far and wide, ${digits} digits`, options: growingDoubles(digits), recorded: SPREAD },
    {
      name: `doubles, latencies, ${digits} digits`,
      options: growingDoubles(digits),
      generator: latencies(2000, 93, 2 ** -40),
    },
  ]),
  {
    name: 'doubles, the smallest and the largest of the range',
    options: doubles(2 ** 40, 2),
    recorded: each(1, 2 ** 40, 2 ** 41 - 1),
  },
  {
    name: 'doubles, every octave',
    options: growingDoubles(2),
    recorded: Array.from({ length: 50 }, (_, octave) => [1.25 * 2 ** (octave - 25), octave + 1]),
  },
  { name: 'doubles, zeros only', options: growingDoubles(3), recorded: [[0, 2 ** 40]] },
  {
    name: 'doubles, at the lower end',
    options: doubles(1000, 3),
    recorded: each(2 ** -1000, 1.5 * 2 ** -995),
  },
  {
    name: 'doubles, at the upper end',
    options: doubles(1000, 3),
    recorded: each(1.5 * 2 ** 1015, 2 ** 1010),
  },
];

export const cases = [...integerCases, ...doubleCases];
