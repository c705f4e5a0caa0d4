import { malformed } from '@hdrscope/core/internal';
import { asFinite, asText } from '@hdrscope/kit';

// https://tc39.es/ecma262/#sec-time-values-and-time-range
const LATEST_MS = 8.64e15;

// Checks of fields that the kit does not have. Each throws HdrscopeError `ERR_DECODE` when it refuses the value.

export function asOptionalText(value: unknown, where: string): string | undefined {
  return value === undefined || value === null ? undefined : asText(value, where);
}

/** Milliseconds since 1970, within what a `Date` can hold. */
export function asTime(value: unknown, where: string): number {
  if (!(Math.abs(asFinite(value, where)) <= LATEST_MS)) {
    throw malformed(where, `within ${LATEST_MS} ms of 1970`, value);
  }
  return value as number;
}

/** A recorded value. JSON has no infinity, so that comes as a text. */
export function asMeasure(value: unknown, where: string): number {
  if (value === 'Infinity') return Number.POSITIVE_INFINITY;
  if (typeof value !== 'number' || !(value >= 0)) throw malformed(where, 'a number from 0', value);
  return value;
}

/** The reverse of `asMeasure`. */
export function measureToJson(value: number): number | string {
  return value === Number.POSITIVE_INFINITY ? 'Infinity' : value;
}
