import { colourAt, lineStyleOf, THEMES } from '../../src/chart/theme.ts';
import { contrastOf, distanceOf, VISIONS } from '../support/vision.ts';

describe.each(Object.entries(THEMES))('the %s theme', (_, theme) => {
  const pairs = theme.palette.flatMap((one, i) =>
    theme.palette.slice(i + 1).map((other) => [one, other] as const),
  );

  test('has eight colours for curves that stand out from the background', () => {
    expect(new Set(theme.palette).size).toBe(8);
    for (const colour of theme.palette) {
      expect(contrastOf(colour, theme.background)).toBeGreaterThanOrEqual(3);
    }
  });

  test.each(Object.entries(VISIONS))('has distinct colours with %s vision', (_, vision) => {
    for (const [one, other] of pairs) expect(distanceOf(one, other, vision)).toBeGreaterThan(18);
  });

  test('has text that can be read', () => {
    for (const colour of [theme.text, theme.mutedText, theme.objective]) {
      expect(contrastOf(colour, theme.background)).toBeGreaterThanOrEqual(4.5);
    }
  });

  test('has colours that stand out more for larger counts', () => {
    const contrasts = theme.heat.map((colour) => contrastOf(colour, theme.background));
    expect(contrasts).toEqual(contrasts.toSorted((a, b) => a - b));
    for (const contrast of contrasts) expect(contrast).toBeGreaterThanOrEqual(3);
    for (const vision of Object.values(VISIONS)) {
      for (const [i, colour] of theme.heat.slice(1).entries()) {
        expect(distanceOf(colour, theme.heat[i]!, vision)).toBeGreaterThan(9);
      }
    }
    for (const vision of Object.values(VISIONS)) {
      expect(distanceOf(theme.heat[0]!, theme.background, vision)).toBeGreaterThan(18);
    }
  });
});

test.each([
  ['light', '#ffffff'],
  ['dark', '#000000'],
] as const)('the %s theme stands out from pure %s too', (name, background) => {
  const { palette, objective, heat } = THEMES[name];
  for (const colour of [...palette, objective, ...heat])
    expect(contrastOf(colour, background)).toBeGreaterThanOrEqual(3);
});

test('the ninth curve has the first colour and other dashes', () => {
  const [first, ninth] = [lineStyleOf(0, THEMES.light), lineStyleOf(8, THEMES.light)];
  expect(ninth.color).toBe(first.color);
  expect(ninth.type).not.toBe(first.type);
});

test('a colour of a scale is mixed of its neighbours, and no part is beyond the ends of the scale', () => {
  const scale = ['#000000', '#102030', '#ffffff'];
  expect([-1, 0, 0.25, 0.5, 1, 2].map((part) => colourAt(scale, part))).toEqual([
    '#000000',
    '#000000',
    '#081018',
    '#102030',
    '#ffffff',
    '#ffffff',
  ]);
});
