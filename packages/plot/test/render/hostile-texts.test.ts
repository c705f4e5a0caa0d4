import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testUnless } from '@hdrscope/testing';
import { anyCharacter } from '@hdrscope/testing/any-character';
import { caseCount } from '@hdrscope/testing/case-count';
import { costOf } from '@hdrscope/testing/cost';
import { lackOfExpat, refusalsOfExpat } from '@hdrscope/testing/xml';
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
  fc.string({ unit: anyCharacter, maxLength: 40 }),
  fc.stringMatching(/^[<>&"'/a-z!\-[\] =]{0,40}$/),
  fc.constantFrom(HOSTILE, 'x'.repeat(400), '😀'.repeat(350), 'zr0-c1', '(zr0-c1) url(#zr1-c2'),
);

/** What is wrong with a picture; `undefined` when it is well formed, and obeys and forbids nothing. */
function findFlaw(svg: string): string | undefined {
  const obeyed = OBEYED.exec(svg.replaceAll('\n', ''));
  if (obeyed !== null) return `a character is obeyed: ${JSON.stringify(obeyed[0])}`;
  try {
    const open = openElements(svg);
    if (open.length > 0) return `elements stay open: ${open}`;
  } catch (error) {
    return (error as Error).message;
  }
  const names = new Set([...svg.matchAll(/<([^/\s>]+)/g)].map(([, name]) => name!));
  const others = [...names].filter((name) => !ELEMENTS.has(name));
  return others.length > 0 ? `ECharts does not draw with ${others}` : undefined;
}

/** Keeps a picture that has a flaw, and looks whether the flaw comes again when it is checked, or drawn, again. */
function reportOn(svg: string, flaw: string, plot: Plot): string {
  const file = join(mkdtempSync(join(tmpdir(), 'hdrscope-svg-')), 'picture.svg');
  writeFileSync(file, svg);
  const drawnAgain = renderSvg(plot);
  return [
    `${flaw}: the picture is ${file}`,
    `checked again: ${findFlaw(svg) ?? 'no flaw'}`,
    `drawn again: ${drawnAgain === svg ? 'the same picture' : (findFlaw(drawnAgain) ?? 'no flaw')}`,
  ].join('; ');
}

test('SVG is well formed and shows no character that is obeyed, whatever the texts of a plot are', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      for (const plot of plotsWith(text)) {
        const svg = renderSvg(plot);
        const flaw = findFlaw(svg);
        if (flaw !== undefined) throw new Error(reportOn(svg, flaw, plot));
      }
    }),
    { numRuns: caseCount(5, 100), examples: [[HOSTILE], ['']] },
  );
}, 120_000);

testUnless(lackOfExpat())(
  'SVG is XML, whatever the texts of a plot are',
  () => {
    const texts = [HOSTILE, ...fc.sample(anyText, caseCount(5, 100))];
    const documents = texts.flatMap((text) => plotsWith(text).map((plot) => renderSvg(plot)));
    expect(refusalsOfExpat(documents)).toBe('');
  },
  120_000,
);

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
    { numRuns: caseCount(8, 100), examples: [[HOSTILE], ['']] },
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
  expect(costOf(() => describePlot({ ...bars, title: `${'. '.repeat(50_000)}x` })).cpuMs).toBeLessThan(2000);
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
