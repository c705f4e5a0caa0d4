import fc from 'fast-check';

/** Decimals of at least 0 as programs write them, short and long. */
export function decimalText(): fc.Arbitrary<string> {
  const digits = (minLength: number, maxLength: number): fc.Arbitrary<string> =>
    fc.string({ unit: fc.constantFrom(...'0123456789'), minLength, maxLength });
  const plain = digits(1, 18);
  const fraction = fc.tuple(digits(0, 12), digits(1, 12)).map(([whole, part]) => `${whole}.${part}`);
  const open = digits(1, 8).map((whole) => `${whole}.`);
  const mantissa = fc.oneof(plain, fraction, open);
  const exponent = fc
    .tuple(fc.constantFrom('e', 'E'), fc.constantFrom('', '+', '-'), digits(1, 2))
    .map((parts) => parts.join(''));
  const scientific = fc.tuple(mantissa, exponent).map((parts) => parts.join(''));
  const printed = fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }).map(String);
  const signed = mantissa.map((text) => `+${text}`);
  return fc.oneof(mantissa, scientific, printed, signed);
}
