import { type HdrscopeError, mustBe } from '@hdrscope/core';

/** What somebody else has sent, field by field. */
export type Fields = Readonly<Record<string, unknown>>;

/** The error for a field that is not what it must be. */
export function malformed(where: string, allowed: string, got: unknown): HdrscopeError {
  return mustBe('ERR_DECODE', where, allowed, got);
}

// https://tc39.es/ecma262/#sec-time-values-and-time-range
const LATEST_MS = 8.64e15;

// All of these throw HdrscopeError `ERR_DECODE` when the value is no such thing.

export function asFields(value: unknown, where: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw malformed(where, 'an object', value);
  }
  return value as Fields;
}

export function asList(value: unknown, where: string, most: number): readonly unknown[] {
  if (!Array.isArray(value)) throw malformed(where, 'an array', value);
  if (value.length > most) throw malformed(where, `at most ${most} long`, value);
  return value;
}

export function asText(value: unknown, where: string): string {
  if (typeof value !== 'string') throw malformed(where, 'a text', value);
  return value;
}

export function asOptionalText(value: unknown, where: string): string | undefined {
  return value === undefined || value === null ? undefined : asText(value, where);
}

export function asCount(value: unknown, where: string): number {
  if (!Number.isSafeInteger(value) || (value as number) < 0) {
    throw malformed(where, 'an integer from 0 to 2^53 - 1', value);
  }
  return value as number;
}

export function asFinite(value: unknown, where: string): number {
  if (!Number.isFinite(value)) throw malformed(where, 'a finite number', value);
  return value as number;
}

/** Milliseconds since 1970, within what a `Date` can hold. */
export function asTime(value: unknown, where: string): number {
  if (!(Math.abs(asFinite(value, where)) <= LATEST_MS)) {
    throw malformed(where, `within ${LATEST_MS} ms of 1970`, value);
  }
  return value as number;
}

/** A value as it is recorded; JSON has no word for infinity, so it comes as a text. */
export function asMeasure(value: unknown, where: string): number {
  if (value === 'Infinity') return Number.POSITIVE_INFINITY;
  if (typeof value !== 'number' || !(value >= 0)) throw malformed(where, 'a number from 0', value);
  return value;
}

/** The reverse of `asMeasure`. */
export function measureToJson(value: number): number | string {
  return value === Number.POSITIVE_INFINITY ? 'Infinity' : value;
}
