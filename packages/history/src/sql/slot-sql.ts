import { type Dialect, infinity } from './dialects.ts';

/** The exponent of 2^53, as doubles have it: slots of buckets without an end reach up to it. */
const END_EXPONENT: number = 1023 + 53;

/** Ticks in one unit. 1 / 1e-9 is 999999999.9999999, and the integer is meant. */
export function ticksPerUnit(scale: string): string {
  return `CASE WHEN abs(1 / ${scale} - round(1 / ${scale})) <= 1e-9 / ${scale} THEN round(1 / ${scale}) ELSE 1 / ${scale} END`;
}

/** Ticks in the unit. 1e-9 is rounded and 1e9 is not, so the quotient is the double that was recorded. */
export function ticksInUnit(
  ticks: string,
  scale: string,
  perUnit: string = `(${ticksPerUnit(scale)})`,
): string {
  return `CASE WHEN ${scale} < 1 THEN ${ticks} / ${perUnit} ELSE ${ticks} * ${scale} END`;
}

/** The first tick of a slot, as a double. */
export function firstTick(slot: string, bits: string, dialect: Dialect): string {
  return `CASE WHEN ${slot} = 0 THEN ${dialect.double('0')} ELSE ${doubleAt(slot, bits, dialect)} END`;
}

/** The last tick of the slots from `first` to `last`, as a double: infinite where a bucket has no end. */
export function lastTick(first: string, last: string, bits: string, dialect: Dialect): string {
  const next = `(${last} + 1)`;
  const isEndless = `${last} > ${first} AND ${dialect.shiftRight(next, bits)} >= ${END_EXPONENT}`;
  return `CASE WHEN ${isEndless} THEN ${infinity(dialect)} ELSE ceil(${doubleAt(next, bits, dialect)}) - 1 END`;
}

/** The double whose leading bits are a slot number: docs/formats/history.md. */
function doubleAt(slot: string, bits: string, { double, shiftRight, slotAsDouble }: Dialect): string {
  if (slotAsDouble !== undefined) return slotAsDouble(slot, bits);
  const exponent = shiftRight(slot, bits);
  const size = `power(${double('2')}, ${double(bits)})`;
  const mantissa = `(${double(slot)} - ${double(exponent)} * ${size})`;
  return `(power(${double('2')}, ${double(`${exponent} - 1023`)}) * (1 + ${mantissa} / ${size}))`;
}
