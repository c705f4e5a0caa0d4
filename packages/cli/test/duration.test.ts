import { secondsOf } from '@hdrscope/inputs/internal';
import { formatDurationParts } from '@hdrscope/kit';
import { parseDuration, parseMoment } from '../src/moment.ts';

test.each([
  ['90', 90],
  ['1.5', 1.5],
  ['500ms', 0.5],
  ['1m', 60],
  ['1h30m', 5400],
  ['1d', 86_400],
  ['1s500ms', 1.5],
  ['100us200us', 0.0003],
  ['7ns', 7e-9],
  ['0', 0],
  ['12µs', 12e-6],
  ['2min', 120],
  ['1 m', 60],
])('%s is %d seconds', (text, seconds) => {
  expect(secondsOf(text)).toBe(seconds);
});

test.each(['', 'm', '1  m', '-1s', '1x', '1m30', '1e3', '0x10', 'Infinity'])(
  '%j is not a duration',
  (text) => {
    expect(secondsOf(text)).toBeUndefined();
  },
);

test('a length must be above 0', () => {
  expect(() => parseDuration('0s', '--poll')).toThrow(
    "--poll must be a duration above 0, such as 500ms, 1.5s or 1h30m (units: ns, us or µs, ms, s, m or min, h, d), got '0s'",
  );
});

test.each([
  ['90', { offsetSec: 90 }],
  ['1m30s', { offsetSec: 90 }],
  ['2026-03-01T12:00:00Z', { epochSec: 1_772_366_400 }],
  ['2026-03-01 12:00:00', { epochSec: 1_772_366_400 }],
  ['2026-03-01T13:00:00+01:00', { epochSec: 1_772_366_400 }],
  ['2026-03-01', { epochSec: 1_772_323_200 }],
  ['1772366400.5', { epochSec: 1_772_366_400.5 }],
])('%s is a moment', (text, moment) => {
  expect(parseMoment(text, '--since')).toEqual(moment);
});

test.each(['yesterday', '2026-13-01', '12:00', '', '9'.repeat(400)])('%j is not a moment', (text) => {
  expect(() => parseMoment(text, '--since')).toThrow('--since must be seconds or a duration');
});

test.each([
  [300_000, '5m'],
  [280_000, '4m40s'],
  [86_400_000, '1d'],
  [1500, '1s500ms'],
])('%d ms are written %s, and read again', (ms, text) => {
  expect(formatDurationParts(ms)).toBe(text);
  expect(secondsOf(text)).toBe(ms / 1000);
});
