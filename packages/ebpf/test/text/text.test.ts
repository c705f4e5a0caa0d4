import {
  bpftraceHistLayout,
  bpftraceLhistLayout,
  formatKernelBars,
  formatKernelHistogram,
  queueDepthLayout,
} from '../../src/index.ts';
import { slotLabel } from '../../src/text.ts';

const DEPTHS = { layout: queueDepthLayout(), counts: [1200, 980, 1400, 800, 400, 30, 10, 1] };

// From Part 12, "Queue Depth Histograms", of the tutorial. Its algorithm does not result in its p99 of 18.3.
const PRINTED = `total=4821  p50=2.5  p99=18.3
  0:     1200   25%
  1:      980   20%
  2-4:   1400   29%
  5-8:    800   17%
  9-16:   400    8%
  17-32:   30    1%
  33-64:   10    0%
  65+:      1    0%`;

test('a histogram is formatted as in the tutorial, except a percentile that is wrong there', () => {
  const text = formatKernelHistogram(DEPTHS, { interpolation: 'exclusive' });
  expect(text).toBe(PRINTED.replace('18.3', '16.8'));
});

test('percentiles are within the integers of a slot by default', () => {
  const [summary, ...rows] = formatKernelHistogram(DEPTHS, { percentiles: [50, 90, 99, 99.9, 100] }).split(
    '\n',
  );
  expect(summary).toBe('total=4821  p50=2.3  p90=7.8  p99=15.9  p99.9=54.7  p100=65+');
  expect(rows).toEqual(PRINTED.split('\n').slice(1));
});

test('empty slots may be left out at both ends', () => {
  const counts = [0, 0, 3, 0, 1, 0, 0, 0];
  expect(formatKernelHistogram({ ...DEPTHS, counts }, { rows: 'used' })).toBe(
    'total=4  p50=3.3  p99=16.0\n  2-4:  3   75%\n  5-8:  0    0%\n  9-16: 1   25%',
  );
});

test('a histogram without counts has no percentiles', () => {
  const counts = new Array<number>(8).fill(0);
  expect(formatKernelHistogram({ ...DEPTHS, counts }, { rows: 'used' })).toBe('total=0  p50=-  p99=-');
  expect(formatKernelHistogram({ ...DEPTHS, counts }, { rows: 'used', interpolation: 'exclusive' })).toBe(
    'total=0  p50=0.0  p99=0.0',
  );
  expect(formatKernelHistogram({ ...DEPTHS, counts }).split('\n')).toHaveLength(9);
  expect(formatKernelBars({ ...DEPTHS, counts })).toBe('');
});

test('rows of another kind than all and used are refused', () => {
  const options = { rows: 'none' as never };
  expect(() => formatKernelHistogram(DEPTHS, options)).toThrow("rows must be 'all' or 'used', got \"none\"");
  expect(() => formatKernelBars(DEPTHS, options)).toThrow("rows must be 'all' or 'used', got \"none\"");
});

test('a slot is labelled with its integers', () => {
  const { slots } = bpftraceLhistLayout({ min: -5, max: 5, step: 5 });
  expect([0, 1, 2, 3].map((slot) => slotLabel(slots, slot))).toEqual(['<-5', '-5..-1', '0-4', '5+']);
  expect(slotLabel(bpftraceHistLayout().slots, 0)).toBe('<0');
});

describe('bars', () => {
  test('are in proportion to counts', () => {
    expect(formatKernelBars(DEPTHS, { width: 20 })).toBe(
      [
        '0     1200 |█████████████████▏  |',
        '1      980 |██████████████      |',
        '2-4   1400 |████████████████████|',
        '5-8    800 |███████████▍        |',
        '9-16   400 |█████▊              |',
        '17-32   30 |▍                   |',
        '33-64   10 |▏                   |',
        '65+      1 |▏                   |',
      ].join('\n'),
    );
  });

  test('may consist of ASCII, and show all slots', () => {
    const counts = [0, 1, 0, 0, 0, 0, 0, 0];
    const lines = formatKernelBars({ ...DEPTHS, counts }, { width: 4, ascii: true, rows: 'all' }).split('\n');
    expect(lines.slice(0, 3)).toEqual(['0     0 |    |', '1     1 |####|', '2-4   0 |    |']);
    expect(lines).toHaveLength(8);
  });

  test.each([80, 40, 12, 9])('fill lines of %d characters', (columns) => {
    const lines = formatKernelBars(DEPTHS, { columns, ascii: true }).split('\n');
    const bar = Math.max(1, columns - '17-32 1400 ||'.length);
    expect(lines.map(({ length }) => length)).toEqual(lines.map(() => '17-32 1400 ||'.length + bar));
    expect(lines[2]).toBe(`2-4   1400 |${'#'.repeat(bar)}|`);
  });

  test('are as wide as a line may be', () => {
    expect(() => formatKernelBars(DEPTHS, { columns: 0 })).toThrow(
      'columns must be an integer from 1 to 1000',
    );
  });

  test.each([0, 1.5, 1001])('of %d characters are refused', (width) => {
    expect(() => formatKernelBars(DEPTHS, { width })).toThrow('width must be an integer from 1 to 1000');
  });
});
