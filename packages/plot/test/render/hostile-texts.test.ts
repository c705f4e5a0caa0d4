import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { chartOption, describePlot, type Plot, plotTable, plotText } from '../../src/index.ts';
import { pageOf } from '../../src/render/html.ts';
import { renderSvg } from '../../src/render/svg.ts';
import { visiblePlot, visibleText } from '../../src/visible-plot.ts';
import { openElements } from '../support/markup.ts';
import { allPlots, bars, comparison, curve, heatMap, overTime, percentiles } from '../support/plots.ts';

/** Characters that a terminal, a browser or an XML parser obeys or forbids. Lines may end, and PNG is no text. */
const OBEYED = /[\p{Cc}\p{Cs}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ufffe\uffff]/u;
const HOSTILE =
  '\u001b[31mred\u0007\u009b\u202egnp.exe\ud800 <script>alert(1)</script> ]]> &amp; "\'zr0-c1\n\uffff';

/** The elements that ECharts draws with. */
const ELEMENTS = new Set([
  'svg',
  'title',
  'rect',
  'path',
  'text',
  'g',
  'defs',
  'clipPath',
  'polygon',
  'linearGradient',
  'stop',
  'polyline',
  'circle',
]);

/** A plot of each kind with a text at each place that a text can have. */
function plotsWith(text: string): readonly Plot[] {
  const titles = { title: text, subtitle: text };
  const objective = { name: text, value: 3, percentile: 90 };
  const named = { ...curve, name: text };
  return [
    { ...percentiles, ...titles, curves: [named, curve], slos: [objective] },
    { ...comparison, ...titles, before: named, after: { ...named, name: `${text}2` } },
    { ...overTime, ...titles, lines: [{ ...overTime.lines[0]!, name: text }], slos: [objective] },
    {
      ...heatMap,
      ...titles,
      countName: text,
      x: { ...heatMap.x, name: text },
      y: { ...heatMap.y, name: text },
    },
    { ...bars, ...titles, name: text, slos: [objective] },
  ];
}

const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.stringMatching(/^[<>&"'/a-z!\-[\] =]{0,40}$/),
  fc.constantFrom(HOSTILE, 'x'.repeat(400), '😀'.repeat(350), 'zr0-c1', '(zr0-c1) url(#zr1-c2'),
);

const hasPython = spawnSync('python3', ['-c', 'import xml.parsers.expat']).status === 0;

// Reads documents of JSON, and prints those that expat refuses.
const JUDGE = `
import json, sys, xml.parsers.expat as expat
for document in json.load(sys.stdin):
    try:
        expat.ParserCreate().Parse(document.encode('utf-8'), True)
    except Exception as error:
        print(repr(error), repr(document))
`;

/** The errors of a parser of XML for each document. */
function refusalsOf(documents: readonly string[]): string {
  const options = { input: JSON.stringify(documents), encoding: 'utf8', maxBuffer: 2 ** 28 } as const;
  const { stdout, stderr } = spawnSync('python3', ['-c', JUDGE], options);
  return stdout + stderr;
}

test('SVG is well formed and shows no character that is obeyed, whatever the texts of a plot are', () => {
  const documents: string[] = [];
  fc.assert(
    fc.property(anyText, (text) => {
      for (const plot of plotsWith(text)) {
        const svg = renderSvg(plot);
        expect(OBEYED.exec(svg.replaceAll('\n', ''))).toBeNull();
        expect(openElements(svg)).toEqual([]);
        const names = new Set([...svg.matchAll(/<([^/\s>]+)/g)].map(([, name]) => name));
        expect([...names].filter((name) => !ELEMENTS.has(name!))).toEqual([]);
        documents.push(svg);
      }
    }),
    { numRuns: 25, examples: [[HOSTILE]] },
  );
  if (hasPython) expect(refusalsOf(documents)).toBe('');
}, 120_000);

test('a text of a picture stays as it is when it looks like an id of ECharts', () => {
  const svg = renderSvg({ ...bars, title: 'zr12-x (zr3-c1' });
  expect(svg).toContain('>zr12-x (zr3-c1</text>');
});

test('descriptions, tables, drawings of a terminal and pages show no character that is obeyed', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      for (const plot of plotsWith(text)) {
        const { columns, rows } = plotTable(plot);
        const shown = [describePlot(plot), ...columns, ...rows.flat(), ...plotText(plot).split('\n')];
        expect(shown.filter((line) => OBEYED.test(line))).toEqual([]);
      }
    }),
    { numRuns: 60, examples: [[HOSTILE]] },
  );
});

test('a page shows no character that is obeyed, and has no element of a text', () => {
  const page = pageOf(plotsWith(HOSTILE).map(visiblePlot), visibleText(HOSTILE), 'light', '');
  expect(page.split('\n').filter((line) => OBEYED.test(line))).toEqual([]);
  expect(page).not.toContain('<script>alert');
});

test('a text that is absurdly long is cut at a character, and others stay as they are', () => {
  expect(visibleText('x'.repeat(300))).toBe('x'.repeat(300));
  expect(visibleText('x'.repeat(301))).toBe(`${'x'.repeat(299)}…`);
  expect([...visibleText('😀'.repeat(1000))]).toEqual([...Array(299).fill('😀'), '…']);
  expect(visibleText('\u0000'.repeat(1000))).toHaveLength(300);
  expect(plotText({ ...bars, title: 'y'.repeat(100_000) }).length).toBeLessThan(1000);
});

test('plots without hostile texts stay as they are', () => {
  for (const plot of allPlots) expect(visiblePlot(plot)).toEqual(plot);
});

test('a title of 100,000 dots and spaces is described in little time', () => {
  const startMs = performance.now();
  describePlot({ ...bars, title: `${'. '.repeat(50_000)}x` });
  expect(performance.now() - startMs).toBeLessThan(2000);
});

test('a plot of 150,000 slots or lines is drawn', () => {
  const slots = Array.from({ length: 150_000 }, (_, i) => ({ lower: i, upper: i + 1 }));
  const counts = slots.map((_, i) => i);
  expect(plotText({ ...bars, slots, counts, slos: [] })).toContain('total');
  const y = { name: 'y', unit: 'none' as const, slots };
  const x = { name: 'x', unit: 'none' as const, slots: slots.slice(0, 1) };
  const map: Plot = { kind: 'heat-map', x, y, counts: counts.map((count) => [count]) };
  expect(describePlot(map)).toContain('Heat map');
  expect(chartOption(map).series.length).toBeGreaterThan(0);
  const curves = counts.map((count) => ({ ...curve, name: `c${count}`, points: [] }));
  expect(plotText({ ...percentiles, curves })).toContain('c149999');
});
