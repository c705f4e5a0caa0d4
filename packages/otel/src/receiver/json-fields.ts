import { HdrscopeError } from '@hdrscope/core';
import { mustBe } from '@hdrscope/core/internal';
import { asArray, asObject, asText, type JsonObject } from '@hdrscope/kit';
import type { Attributes } from '@hdrscope/registry';
import { DEEPEST_VALUE, integerValue } from './attribute-values.ts';
import { NO_ATTRIBUTES } from './received.ts';

/**
 * Reads a field by its name in lower camel case, as OTLP writes it, else with underscores, as some senders do.
 * Source: https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding
 */
export function fieldOf(fields: JsonObject, name: string): unknown {
  if (Object.hasOwn(fields, name)) return fields[name];
  const other = snakeCase(name);
  return Object.hasOwn(fields, other) ? fields[other] : undefined;
}

const snakeCases = new Map<string, string>();

/** Only names in the code come here, so the map stays small. */
function snakeCase(name: string): string {
  const known = snakeCases.get(name) ?? name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  snakeCases.set(name, known);
  return known;
}

/** @throws HdrscopeError `ERR_DECODE` */
export function objectField(fields: JsonObject, name: string): JsonObject {
  return asObject(fieldOf(fields, name) ?? {}, name);
}

/** @throws HdrscopeError `ERR_DECODE` */
export function listField(fields: JsonObject, name: string): readonly unknown[] {
  return asArray(fieldOf(fields, name) ?? [], name);
}

/** @throws HdrscopeError `ERR_DECODE` */
export function textField(fields: JsonObject, name: string): string {
  return asText(fieldOf(fields, name) ?? '', name);
}

/** @throws HdrscopeError `ERR_DECODE` */
export function countField(fields: JsonObject, name: string): number {
  return asCount(fieldOf(fields, name) ?? 0, name);
}

/**
 * A `uint64`, written as a number or as text. Above 2^53 it is the nearest number.
 *
 * @throws HdrscopeError `ERR_DECODE`
 */
export function asCount(value: unknown, name: string): number {
  if (typeof value === 'string' && /^\d{1,20}$/.test(value)) return Number(value);
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0) return value;
  throw mustBe('ERR_DECODE', name, 'an integer of at least 0', value);
}

/** @throws HdrscopeError `ERR_DECODE` */
export function integerField(fields: JsonObject, name: string): number {
  const value = fieldOf(fields, name) ?? 0;
  const number = typeof value === 'string' && /^-?\d{1,10}$/.test(value) ? Number(value) : value;
  if (typeof number === 'number' && number === (number | 0)) return number;
  throw mustBe('ERR_DECODE', name, 'an integer of 32 bits', value);
}

/**
 * An `int64`, written as a number or as text. Beyond 2^53 it is the nearest number. `undefined` when the field is left out.
 *
 * @throws HdrscopeError `ERR_DECODE`
 */
export function signedField(fields: JsonObject, name: string): number | undefined {
  const value = fieldOf(fields, name) ?? undefined;
  if (value === undefined) return undefined;
  if (typeof value === 'string' && /^-?\d{1,19}$/.test(value)) return Number(value);
  if (typeof value === 'number' && Number.isInteger(value)) return value;
  throw mustBe('ERR_DECODE', name, 'an integer', value);
}

/** @throws HdrscopeError `ERR_DECODE` */
export function nanosecondsField(fields: JsonObject, name: string): bigint {
  const value = fieldOf(fields, name) ?? 0;
  if (typeof value === 'string' && /^\d{1,20}$/.test(value)) return BigInt(value);
  return BigInt(asCount(value, name));
}

/** @throws HdrscopeError `ERR_DECODE` */
export function doubleField(fields: JsonObject, name: string): number | undefined {
  const value = fieldOf(fields, name) ?? undefined;
  return value === undefined ? undefined : asDouble(value, name);
}

/**
 * A double, written as a number or, for NaN and the infinities, which JSON lacks, as text.
 *
 * @throws HdrscopeError `ERR_DECODE`
 */
export function asDouble(value: unknown, name: string): number {
  if (typeof value === 'number') return value;
  if (typeof value === 'string' && /^(NaN|-?Infinity|-?\d+(\.\d+)?([eE][-+]?\d+)?)$/.test(value)) {
    return Number(value);
  }
  throw mustBe('ERR_DECODE', name, 'a number', value);
}

/** @throws HdrscopeError `ERR_DECODE` */
export function attributesField(fields: JsonObject, name: string, depth = 0): Attributes {
  const list = listField(fields, name);
  if (list.length === 0) return NO_ATTRIBUTES;
  const entries = list.map((one) => {
    const entry = asObject(one, name);
    const value = fieldOf(entry, 'value') ?? undefined;
    const read = value === undefined ? undefined : anyValue(asObject(value, 'value'), depth);
    return [textField(entry, 'key'), read] as const;
  });
  return Object.fromEntries(entries);
}

/** An `AnyValue`. */
function anyValue(fields: JsonObject, depth: number): unknown {
  if (depth > DEEPEST_VALUE) {
    throw new HdrscopeError('ERR_DECODE', `an attribute is nested more than ${DEEPEST_VALUE} deep`);
  }
  if (isGiven(fields, 'stringValue')) return textField(fields, 'stringValue');
  if (isGiven(fields, 'boolValue')) return fieldOf(fields, 'boolValue') === true;
  if (isGiven(fields, 'intValue')) return integerOf(fieldOf(fields, 'intValue'));
  if (isGiven(fields, 'doubleValue')) return doubleField(fields, 'doubleValue');
  if (isGiven(fields, 'bytesValue')) return textField(fields, 'bytesValue');
  if (isGiven(fields, 'arrayValue')) {
    const items = listField(objectField(fields, 'arrayValue'), 'values');
    return items.map((item) => anyValue(asObject(item, 'values'), depth + 1));
  }
  if (isGiven(fields, 'kvlistValue'))
    return attributesField(objectField(fields, 'kvlistValue'), 'values', depth + 1);
  return undefined;
}

function isGiven(fields: JsonObject, name: string): boolean {
  return (fieldOf(fields, name) ?? undefined) !== undefined;
}

function integerOf(value: unknown): number | string {
  if (typeof value === 'string' && /^-?\d{1,19}$/.test(value)) return integerValue(BigInt(value));
  if (typeof value === 'number' && Number.isInteger(value)) return integerValue(BigInt(value));
  throw mustBe('ERR_DECODE', 'intValue', 'an integer', value);
}
