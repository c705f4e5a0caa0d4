import { createCanvas } from '@napi-rs/canvas';
import fc from 'fast-check';
import { distinctCuts, middleCut, textWidth, wrappedText } from '../../src/chart/text-width.ts';
import { FONTS } from '../../src/chart/theme.ts';

const texts = fc.string({
  unit: fc.constantFrom(...'abcdefg hijklmnopqrstuvwxyzWM0123456789/.,-_{}=ßäЖ'),
  minLength: 1,
});

test('a text is no wider than its measure, in the font of this machine', () => {
  const context = createCanvas(10, 10).getContext('2d');
  fc.assert(
    fc.property(texts, fc.constantFrom(11, 12, 16), (text, size) => {
      context.font = `${size}px ${FONTS}`;
      expect(context.measureText(text).width).toBeLessThanOrEqual(textWidth(text, { size }) + 0.5);
      context.font = `600 ${size}px ${FONTS}`;
      expect(context.measureText('Latency of GET /').width).toBeLessThanOrEqual(
        textWidth('Latency of GET /', { size, isBold: true }),
      );
    }),
  );
});

test('a name that is too long loses its middle', () => {
  const name = 'http.server.request.duration{route=/orders/7}';
  const cut = middleCut(name, 150);
  expect(cut).toMatch(/^http.*….*\/7}$/);
  expect(textWidth(cut)).toBeLessThanOrEqual(150);
  expect(middleCut('GET /', 150)).toBe('GET /');
});

test('names that differ in their middle keep it', () => {
  const names = [3, 14, 15].map(
    (id) => `http.server.request.duration{route=/customers/orders/${id}, status=200}`,
  );
  const cuts = distinctCuts(names, 160);
  expect(new Set(cuts).size).toBe(3);
  for (const [i, id] of [3, 14, 15].entries()) {
    expect(cuts[i]).toContain(String(id));
    expect(textWidth(cuts[i]!)).toBeLessThanOrEqual(160);
  }
});

test('lines end after blanks and separators, and not between a number and its unit', () => {
  expect(wrappedText('p99 of all ≤ 250 ms', 80, 3)).toEqual(['p99 of all', '≤ 250 ms']);
  expect(wrappedText('production/checkout-service', 120, 3)).toEqual(['production/', 'checkout-service']);
});

test('lines fit into their width, and there are no more than asked for', () => {
  fc.assert(
    fc.property(
      texts,
      fc.integer({ min: 30, max: 300 }),
      fc.integer({ min: 1, max: 4 }),
      (text, width, most) => {
        const lines = wrappedText(text, width, most);
        expect(lines.length).toBeLessThanOrEqual(most);
        for (const line of lines) expect(textWidth(line)).toBeLessThanOrEqual(width);
      },
    ),
  );
});
