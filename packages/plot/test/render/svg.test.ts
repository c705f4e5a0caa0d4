import { renderPng } from '../../src/render/png.ts';
import { renderSvg } from '../../src/render/svg.ts';
import { openElements } from '../support/markup.ts';
import { allPlots, bars, comparison, heatMap, overTime, percentiles } from '../support/plots.ts';

/** All texts that are drawn. */
function textsOf(svg: string): string[] {
  return [...svg.matchAll(/<text [^>]*>([^<]*)<\/text>/g)].map(([, text]) => text!);
}

describe.each(allPlots.map((plot) => [plot.kind, plot] as const))('the SVG of %s', (_, plot) => {
  test('is the same text each time, also after a PNG was drawn', async () => {
    const svg = renderSvg(plot);
    expect(renderSvg(plot)).toBe(svg);
    await renderPng(plot, { scale: 1 });
    expect(renderSvg(plot)).toBe(svg);
  });

  test('is well formed, shows its title, and has a description for people who cannot see it', () => {
    const svg = renderSvg(plot);
    expect(openElements(svg)).toEqual([]);
    expect(textsOf(svg)).toContain(plot.title);
    expect(svg).toContain(' role="img" aria-label="');
    expect(svg).toContain(`<title>${plot.title}.`);
  });

  test('has the size and the background that are asked for', () => {
    const svg = renderSvg(plot, { width: 700, height: 400, theme: 'dark' });
    expect(svg).toMatch(/^<svg width="700" height="400" /);
    expect(svg).toContain('<rect width="700" height="400" x="0" y="0" fill="#15181d">');
  });
});

test.each([
  [
    'percentiles',
    percentiles,
    ['0 %', '50 %', '90 %', '99 %', '99.9 %', '100 ms', 'GET /', 'p99 ≤ 30 ms', 'percentile'],
  ],
  ['a comparison', comparison, ['v1', 'v2', 'after ÷ before, 99 % confidence', '1×', '10 ms']],
  ['time', overTime, ['12:00:00', '12:00:04', '20 ms', 'promised', 'time (UTC), 2026-01-31']],
  [
    'a heat map',
    heatMap,
    ['512 B', '2 KiB', '∞', '0', '100 µs', '200 µs', '1,000', 'operations', 'size', 'latency'],
  ],
  ['bars', bars, ['2–4', '65+', '12,345', 'tasks', 'count', '≤ 3']],
] as const)('the axes of %s are labelled in units of people', (_, plot, labels) => {
  expect(textsOf(renderSvg(plot))).toEqual(expect.arrayContaining([...labels]));
});

test('markup in a name is text', () => {
  const svg = renderSvg(percentiles);
  expect(svg).not.toContain('<b>');
  expect(textsOf(svg)).toContain('&lt;b&gt;POST&lt;/b&gt; &amp; &quot;more&quot;');
});

test('two pictures on a page share no ids', () => {
  const idsOf = (svg: string) => [...svg.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id!);
  const [one, other] = [renderSvg(percentiles), renderSvg(heatMap)].map(idsOf);
  expect(one!.length).toBeGreaterThan(0);
  expect(other!.length).toBeGreaterThan(0);
  expect(one!.filter((id) => other!.includes(id))).toEqual([]);
});

test('300 by 40 cells are all drawn', () => {
  const svg = renderSvg({
    ...heatMap,
    x: {
      name: 'x',
      unit: 'none',
      slots: Array.from({ length: 300 }, (_, i) => ({ lower: i, upper: i + 1 })),
    },
    y: {
      name: 'y',
      unit: 'us',
      slots: Array.from({ length: 40 }, (_, i) => ({ lower: 1.1 ** i, upper: 1.1 ** (i + 1) })),
    },
    counts: Array.from({ length: 40 }, () => Array.from({ length: 300 }, () => 7)),
  });
  expect(svg.split('fill="#100520"').length - 1).toBe(12_000);
});

test.each([
  ['no curves', { kind: 'percentiles', unit: 'ms', curves: [] }],
  [
    'a curve without points',
    { kind: 'percentiles', unit: 'ms', curves: [{ name: 'a', points: [], totalCount: 0 }] },
  ],
  ['no moments', { kind: 'over-time', unit: 'ms', timesMs: [], lines: [{ name: 'a', values: [] }] }],
  ['no cells', { ...heatMap, x: { name: 'x', unit: 'ms', slots: [] }, counts: [[], [], []] }],
  [
    'zeros on a logarithmic axis',
    {
      kind: 'percentiles',
      unit: 'ms',
      valueAxis: 'log',
      curves: [{ name: 'a', points: [{ percentile: 100, value: 0 }], totalCount: 1 }],
      slos: [{ value: 0 }],
    },
  ],
  ['no bars', { kind: 'bars', unit: 'none', slots: [], counts: [] }],
] as const)('%s can be drawn', (_, plot) => {
  const svg = renderSvg(plot);
  expect(openElements(svg)).toEqual([]);
  expect(svg).not.toMatch(/NaN|Infinity/);
});

test('a plot over time without values says so', () => {
  const svg = renderSvg({
    kind: 'over-time',
    unit: 'ms',
    timesMs: [0, 1000],
    lines: [{ name: 'p99', values: [null, null] }],
  });
  expect(svg).toContain('>no values<');
  expect(svg).not.toContain('>value<');
});

test.each([
  [{ width: 10 }, 'width must be an integer from 200 to 8192, got 10'],
  [{ height: 480.5 }, 'height must be an integer from 150 to 8192, got 480.5'],
  [{ theme: 'blue' as 'dark' }, "theme must be 'light' or 'dark', got \"blue\""],
])('options %j are refused', (options, message) => {
  expect(() => renderSvg(bars, options)).toThrow(message);
});
