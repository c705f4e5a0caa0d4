import {
  captioned,
  chartOption,
  describePlot,
  plotFromJson,
  plotTable,
  plotText,
  plotToJson,
  type TimePlot,
} from '../../src/index.ts';
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

describe('a plot with a time zone', () => {
  // The first three days of DST in Berlin: midnights of UTC+1, UTC+1 and UTC+2.
  const midnights = ['2026-03-27T23:00Z', '2026-03-28T23:00Z', '2026-03-29T22:00Z'].map(Date.parse);
  const plot: TimePlot = {
    kind: 'over-time',
    unit: 'ms',
    timesMs: midnights,
    lines: [{ name: 'p50', values: [1, 2, 3] }],
    endMs: Date.parse('2026-03-30T22:00Z'),
    timeZone: 'Europe/Berlin',
  };

  test('has its times in every form of it', () => {
    expect(plotTable(plot).rows.map(([time]) => time)).toEqual([
      '2026-03-30 00:00:00',
      '2026-03-29 00:00:00',
      '2026-03-28 00:00:00',
    ]);
    expect(plotTable(plot).columns[0]).toBe('time (Europe/Berlin, +01:00 to +02:00)');
    expect(describePlot(plot)).toContain(
      'from 2026-03-28 00:00:00 to 2026-03-30 00:00:00 Europe/Berlin, +01:00 to +02:00',
    );
    expect(captioned(plot).subtitle).toBe(
      '2026-03-28 00:00:00 – 2026-03-31 00:00:00 Europe/Berlin, +01:00 to +02:00',
    );
    expect(plotText(plot)).toContain('time (Europe/Berlin, +01:00 to +02:00), 2026-03-28 to 2026-03-30');
    expect(JSON.stringify(chartOption(plot))).toContain('time (Europe/Berlin, +01:00 to +02:00)');
  });

  test('has marks at each midnight, also after a change of clocks', () => {
    expect(plotText(plot)).toMatch(/28 Mar .*29 Mar .*30 Mar/);
  });

  test('keeps its zone in JSON, and another zone is refused there', () => {
    expect(plotFromJson(plotToJson(plot))).toEqual(plot);
    expect(() => plotFromJson(plotToJson(plot).replace('Europe/Berlin', 'Berlin'))).toThrow(
      'plot.timeZone must be the name of a time zone',
    );
  });
});
