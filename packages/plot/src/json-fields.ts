import { mustBe } from '@hdrscope/core/internal';
import { asArray, asFinite, type JsonObject } from '@hdrscope/kit';
import { type CountedUnit, SHOWN_UNITS } from '@hdrscope/registry';

/** Checks a value of JSON. `where` names it in the error. @throws HdrscopeError `ERR_DECODE` */
export type Reader<T> = (value: unknown, where: string) => T;

/** The fields that are there, each checked by its reader. */
export function optionalFields<T extends object>(
  json: JsonObject,
  where: string,
  readers: { readonly [Name in keyof T]-?: Reader<NonNullable<T[Name]>> },
): T {
  const given = Object.entries<Reader<unknown>>(readers).filter(([name]) => json[name] !== undefined);
  return Object.fromEntries(
    given.map(([name, read]) => [name, read(json[name], `${where}.${name}`)]),
  ) as Partial<T> as T;
}

export function list<T>(read: Reader<T>): Reader<T[]> {
  return (value, where) => asArray(value, where).map((item, at) => read(item, `${where}[${at}]`));
}

/** A list of numbers, each checked by `isAllowed`, one for each item of another list. It makes no text for each, as maps have millions. */
export function numbers<T>(
  value: unknown,
  where: string,
  length: number,
  allowed: string,
  isAllowed: (item: unknown) => item is T,
): readonly T[] {
  const items = asArray(value, where);
  if (items.length !== length) throw mustBe('ERR_DECODE', where, `${length} long`, value);
  const wrong = items.findIndex((item) => !isAllowed(item));
  if (wrong >= 0) throw mustBe('ERR_DECODE', `${where}[${wrong}]`, allowed, items[wrong]);
  return items as readonly T[];
}

export function oneOf<T extends string>(choices: readonly T[]): Reader<T> {
  return (value, where) => {
    const found = choices.find((choice) => choice === value);
    if (found === undefined) throw mustBe('ERR_DECODE', where, `one of ${choices.join(', ')}`, value);
    return found;
  };
}

export const unitOf: Reader<CountedUnit> = oneOf(Object.keys(SHOWN_UNITS) as CountedUnit[]);

/** A number, or the infinite one that `null` stands for. */
export function finiteOr(value: unknown, where: string, infinite: number): number {
  return value === null ? infinite : asFinite(value, where);
}

export function between(least: number, most: number): Reader<number> {
  return (value, where) => {
    const number = asFinite(value, where);
    if (number < least || number > most) throw mustBe('ERR_DECODE', where, `from ${least} to ${most}`, value);
    return number;
  };
}

/** @throws HdrscopeError `ERR_DECODE` when a number is less than the one before. `where` names one by its place. */
export function assertAscending(values: readonly number[], where: (at: number) => string): void {
  const at = values.findIndex((value, i) => value < (values[i - 1] ?? value));
  if (at >= 0)
    throw mustBe('ERR_DECODE', where(at), `at least ${values[at - 1]}, as the one before`, values[at]);
}
