import { chartOption, describePlot, plotTable, type TimePlot } from '../../src/index.ts';
import type { Zone } from '../../src/internal.ts';

/** As in India. */
const INDIA: Zone = { name: 'local time', offsetMs: () => 5.5 * 3_600_000 };
const START = Date.UTC(2026, 0, 31, 18, 0);
const HOUR = 3_600_000;

const PLOT: TimePlot = {
  ...{ kind: 'over-time', unit: 'ms', timesMs: [START, START + HOUR, START + 2 * HOUR] },
  lines: [{ name: 'p50', values: [1, 2, 3] }],
};

test('times are in UTC, or in the zone that is asked for', () => {
  expect(describePlot(PLOT)).toContain('from 2026-01-31 18:00:00 to 2026-01-31 20:00:00 UTC.');
  expect(describePlot(PLOT, INDIA)).toContain('from 2026-01-31 23:30:00 to 2026-02-01 01:30:00 local time.');
  const { columns, rows } = plotTable(PLOT, INDIA);
  expect(columns[0]).toBe('time (local time)');
  expect(rows.map(([time]) => time)).toEqual([
    '2026-02-01 01:30:00',
    '2026-02-01 00:30:00',
    '2026-01-31 23:30:00',
  ]);
});

test('the labels of a time axis are round in its zone', () => {
  const axisOf = (zone?: Zone) => {
    const { xAxis } = chartOption(PLOT, 'light', 920, zone) as unknown as { xAxis: Axis };
    const { customValues, formatter } = xAxis.axisLabel;
    return { name: xAxis.name, labels: customValues.map(formatter) };
  };
  expect(axisOf()).toMatchObject({ name: 'time (UTC), 2026-01-31' });
  const { name, labels } = axisOf(INDIA);
  expect(name).toBe('time (local time), 2026-01-31 to 2026-02-01');
  // Midnight has its date.
  expect(labels).toContain('1 Feb');
  expect(labels).toContain('23:30');
});

test('a log that counts from 0 has the same times in every zone', () => {
  const log = { ...PLOT, timesMs: [0, HOUR, 2 * HOUR] };
  expect(describePlot(log, INDIA)).toContain('from 1970-01-01 00:00:00 to 1970-01-01 02:00:00');
});

interface Axis {
  readonly name: string;
  readonly axisLabel: { readonly customValues: readonly number[]; formatter(value: number): string };
}
