import fc from 'fast-check';
import { type LineLabel, labelSeries } from '../../src/chart/line-labels.ts';
import { THEMES } from '../../src/chart/theme.ts';

const AREA = { x: 50, y: 60, width: 300, height: 200 };
const GRID = { left: 50, right: 120, width: 300 };

/** Draws what belongs to the names of lines that end at these heights. A height of `null` is a line without values. */
function partsAt(heights: readonly (number | null)[], name: (i: number) => string = (i) => `line ${i}`) {
  const labels = heights.map(
    (height, i): LineLabel => ({
      name: name(i),
      stroke: { color: '#123456', type: 'solid', width: 2 },
      corners: [
        [0, height === null ? null : 0],
        [1, height],
      ],
    }),
  );
  const api = {
    value: () => 0,
    coord: ([place, value]: [number, number]) => [AREA.x + place * AREA.width, AREA.y + AREA.height - value],
  };
  const series = labelSeries(labels, (value) => value, GRID, THEMES.light) as unknown as {
    renderItem(
      params: object,
      api: object,
    ): { children: { type: string; y: number; style: { text?: string } }[] };
  }[];
  return series.flatMap(({ renderItem }) => renderItem({ coordSys: AREA }, api).children);
}

/** Draws the names of lines that end at these heights. */
function drawnAt(...asked: Parameters<typeof partsAt>) {
  return partsAt(...asked)
    .filter(({ type }) => type === 'text')
    .map(({ y, style }) => ({ y, lines: style.text!.split('\n') }));
}

test('names stand at the ends of their lines where there is room', () => {
  expect(drawnAt([20, 100, 180]).map(({ y }) => y)).toEqual([240, 160, 80]);
});

test('a line without values has its name, and nothing leads to it', () => {
  const parts = partsAt([null, 100, null]);
  expect(parts.filter(({ type }) => type === 'text')).toHaveLength(3);
  expect(parts.filter(({ type }) => type === 'polyline')).toHaveLength(1);
});

test('names never overlap and stay beside the drawing, in the order of their lines', () => {
  const names = fc.constantFrom(
    'p99',
    'a name of several words that needs lines',
    'kubernetes-production/checkout',
  );
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.integer({ min: 0, max: 200 }), names), { minLength: 1, maxLength: 40 }),
      (all) => {
        const drawn = drawnAt(
          all.map(([height]) => height),
          (i) => all[i]![1],
        );
        const boxes = drawn
          .map(({ y, lines }) => ({ top: y - lines.length * 7.5, bottom: y + lines.length * 7.5 }))
          .sort((a, b) => a.top - b.top);
        for (const [i, box] of boxes.entries()) {
          expect(box.top).toBeGreaterThanOrEqual(i === 0 ? AREA.y - 8 : boxes[i - 1]!.bottom - 0.01);
        }
        expect(boxes.at(-1)!.bottom).toBeLessThanOrEqual(AREA.y + AREA.height + 8);
      },
    ),
  );
});

test('names that have no room are counted', () => {
  const drawn = drawnAt(Array.from({ length: 40 }, (_, i) => i));
  expect(drawn).toHaveLength(13);
  expect(drawn.some(({ lines }) => lines[0] === 'and 28 more')).toBe(true);
});
