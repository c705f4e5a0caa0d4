import { renderPng, renderSvg, type WaterfallPlot } from '../../src/render/index.ts';

const PLOT: WaterfallPlot = {
  kind: 'waterfall',
  title: 'What moved p99 of rpc',
  unit: 'ms',
  before: { name: 'before', value: 100 },
  steps: [
    { name: 'route=/pay', change: 1000, note: '111 %' },
    { name: 'all other series', change: -100, note: '-11 %' },
  ],
  after: { name: 'after', value: 1000 },
};

/** The rectangles of a picture without its background: left ends and widths. */
function barsIn(svg: string): { from: number; width: number; colour: string }[] {
  return [
    ...svg.matchAll(/<path d="M([\d.]+) [\d.]+l([\d.]+) 0l0 [\d.]+l-[\d.]+ 0Z"[^>]*fill="(#\w+)"/g),
  ].map(([, from, width, colour]) => ({ from: Number(from), width: Number(width), colour: colour! }));
}

test('a bar for each value and step, each from where the one before ends', () => {
  const [before, more, less, after] = barsIn(renderSvg(PLOT));
  const perMs = after!.width / 1000;
  expect(before!.width / perMs).toBeCloseTo(100, 0);
  expect(more!.from).toBeCloseTo(before!.from + before!.width, 1);
  expect(more!.width / perMs).toBeCloseTo(1000, 0);
  expect(less!.from).toBeCloseTo(after!.from + after!.width, 1);
  expect(less!.width / perMs).toBeCloseTo(100, 0);
  // What adds and what takes away differ.
  expect(new Set([before!.colour, more!.colour, less!.colour]).size).toBe(3);
  expect(after!.colour).toBe(before!.colour);
});

test('each bar has its name and its value as texts, and the picture is described in words', () => {
  const svg = renderSvg(PLOT);
  for (const text of ['route=/pay', '+1 s (111 %)', '-100 ms (-11 %)', 'before', '1 s']) {
    expect(svg).toContain(`>${text}<`);
  }
  expect(svg).toContain(
    '<title>What moved p99 of rpc. before: 100 ms. route=/pay: +1 s (111 %). all other series: -100 ms (-11 %). after: 1 s.</title>',
  );
});

test('a long name takes several lines, and hostile ones are visible', () => {
  const name = `route=/${'customers/'.repeat(5)}{id} & host=\u001b[31m<b>`;
  const svg = renderSvg({ ...PLOT, steps: [{ name, change: 900 }] });
  expect(svg).toMatch(/>route=\/customers\/[^<]*</);
  expect(svg).toMatch(/>[^<]*&lt;b&gt;</);
  expect(svg).not.toContain('\u001b');
});

test('a value below 0 on the way has room at the left', () => {
  const bars = barsIn(
    renderSvg({
      ...PLOT,
      before: { name: 'before', value: 100 },
      steps: [
        { name: 'less', change: -150 },
        { name: 'more', change: 60 },
      ],
      after: { name: 'after', value: 10 },
    }),
  );
  expect(bars[1]!.from).toBeLessThan(bars[0]!.from);
});

test.each([1, 2, 4])('the height follows from %i steps, unless it is given', (count) => {
  const steps = Array.from({ length: count }, (_, i) => ({ name: `${i}`, change: 900 / count }));
  const heightOf = (svg: string) => Number(/height="(\d+)"/.exec(svg)![1]);
  const plot = { ...PLOT, steps };
  expect(heightOf(renderSvg(plot))).toBe(heightOf(renderSvg({ ...PLOT, steps: steps.slice(1) })) + 44);
  expect(heightOf(renderSvg(plot, { height: 300 }))).toBe(300);
});

test('a PNG has twice its size', async () => {
  const png = Buffer.from(await renderPng(PLOT, { height: 300 }));
  expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([1840, 600]);
});
