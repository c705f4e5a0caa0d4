import { readUnitWords, unitOfName, unitSuffixes } from '../src/internal.ts';

const UNITS = [
  'd',
  'h',
  'min',
  's',
  'ms',
  'us',
  'ns',
  'By',
  'KiBy',
  'MiBy',
  'GiBy',
  'TiBy',
  'KBy',
  'MBy',
  'GBy',
  'TBy',
  'm',
  'V',
  'A',
  'J',
  'W',
  'g',
  'Cel',
  'Hz',
  '%',
];

describe('a unit in words', () => {
  test.each([...UNITS, 'By/s', 'm/s', 'J/mo'])('%s is read back', (unit) => {
    const { main, per } = unitSuffixes(unit);
    expect(readUnitWords(per === '' ? main : `${main}_${per}`)).toBe(unit);
  });

  test.each(['', 'requests', 'second', 'bytes_per_request', 'per_second', 'constructor'])(
    '%j is no unit',
    (words) => {
      expect(readUnitWords(words)).toBeUndefined();
    },
  );
});

test.each([
  ['http_request_duration_seconds', 's'],
  ['disk_rate_bytes_per_second', 'By/s'],
  ['queue_ratio', '1'],
  ['requests', ''],
  ['seconds', ''],
  ['miliseconds_old', ''],
  ['', ''],
])('the name %s ends with the unit %j', (name, unit) => {
  expect(unitOfName(name)).toBe(unit);
});
