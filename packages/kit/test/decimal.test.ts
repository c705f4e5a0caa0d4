import fc from 'fast-check';
import { parseDecimal } from '../src/decimal.ts';
import { decimalText } from './support/decimal-text.ts';

function parse(text: string): number {
  // Between other bytes, of which none may be looked at.
  const bytes = new TextEncoder().encode(`9${text}9`);
  return parseDecimal(bytes, 1, bytes.length - 1);
}

test('means what Number(text) means', () => {
  fc.assert(
    fc.property(decimalText(), (text) => {
      expect(parse(text)).toBe(Number(text));
    }),
    { numRuns: 2000 },
  );
});

test('means what Number(text) means at the ends of what is exact', () => {
  const digits = ['9'.repeat(15), '9'.repeat(16), '9007199254740993', '0'.repeat(30), `${'0'.repeat(30)}1`];
  const tails = ['', '.', '.5', `.${'0'.repeat(21)}1`, 'e22', 'e23', 'e-22', 'e-23', 'e308', 'e309', 'e-330'];
  for (const text of digits.flatMap((whole) => tails.map((tail) => whole + tail))) {
    expect([text, parse(text)]).toEqual([text, Number(text)]);
  }
});

test.each([
  '',
  '.',
  '+',
  '-',
  '-.',
  'e5',
  '.e5',
  '1e',
  '1e+',
  '1 ',
  ' 1',
  '1.2.3',
  '1,5',
  '0x10',
  'NaN',
  'Infinity',
  '1_000',
])('takes %j for no number', (text) => {
  expect(parse(text)).toBeNaN();
});
