import { fromTicks, malformed } from '@hdrscope/core/internal';
import { asArray, asCount, asFinite, asObject, asText, type Budget } from '@hdrscope/kit';
import type { Attributes } from '../attributes.ts';
import type { FamilySnapshot } from '../family.ts';
import type { FamilyOptions, FamilySettings, Scope } from '../family-options.ts';
import { asOptionalText, asTime } from './fields.ts';
import { attributesFromJson, attributesToJson, type WireAttributes } from './wire-attributes.ts';

/** A family as JSON. The families of an instance are numbered from 0. */
export interface WireFamily {
  readonly name: string;
  readonly unit: string;
  readonly description: string;
  /** The step between two values, in the unit. */
  readonly resolution: number;
  readonly significantDigits: number;
  readonly cardinalityLimit: number;
  readonly scope: Scope | undefined;
  readonly boundaries: readonly number[] | undefined;
  readonly thresholds: readonly number[];
  readonly statedThresholds: readonly number[];
  readonly expireAfterMs: number | undefined;
}

/** A series as JSON: see `SeriesIds`. */
export type WireSeries = readonly [family: number, attributes: WireAttributes, startTimeMs: number];

/** A series of a remote registry. */
export interface RemoteSeries {
  /** The number of its family. */
  readonly family: number;
  readonly attributes: Attributes;
  readonly startTimeMs: number;
}

const MOST_BOUNDARIES = 10_000;

/** The options of a family that its snapshots do not have. */
export type UnseenOptions = Pick<FamilySettings, 'cardinalityLimit' | 'expireAfterMs'>;

export function familyToJson(
  family: Omit<FamilySnapshot, 'series'>,
  { cardinalityLimit, expireAfterMs }: UnseenOptions,
): WireFamily {
  const { name, unit, description, resolution, layout, scope, boundaries } = family;
  const { thresholds, statedThresholds } = family;
  return {
    name,
    unit,
    description,
    resolution: fromTicks(resolution, 1),
    significantDigits: layout.significantDigits,
    cardinalityLimit,
    scope,
    boundaries,
    thresholds,
    statedThresholds,
    expireAfterMs,
  };
}

/**
 * @param budget The rest of the budget of the message.
 * @throws HdrscopeError `ERR_DECODE`; `ERR_TOO_LARGE`
 */
export function familyFromJson(json: unknown, where: string, budget: Budget): FamilyOptions {
  const fields = asObject(json, where);
  const name = asText(fields.name, `${where}.name`);
  if (name === '') throw malformed(`${where}.name`, 'a text, not empty', name);
  const scope = scopeFromJson(fields.scope, `${where}.scope`);
  const boundaries = boundariesFromJson(fields.boundaries, `${where}.boundaries`, budget);
  const all = boundariesFromJson(fields.thresholds, `${where}.thresholds`, budget) ?? [];
  const stated = boundariesFromJson(fields.statedThresholds, `${where}.statedThresholds`, budget) ?? [];
  const { expireAfterMs: expiry } = fields;
  const expireAfterMs =
    expiry === undefined || expiry === null ? undefined : asFinite(expiry, `${where}.expireAfterMs`);
  return {
    name,
    unit: asText(fields.unit, `${where}.unit`),
    description: asText(fields.description, `${where}.description`),
    resolution: asFinite(fields.resolution, `${where}.resolution`),
    significantDigits: asCount(fields.significantDigits, `${where}.significantDigits`),
    cardinalityLimit: asCount(fields.cardinalityLimit, `${where}.cardinalityLimit`),
    ...(scope && { scope }),
    ...(boundaries && { boundaries }),
    thresholds: stated,
    otherThresholds: all,
    ...(expireAfterMs !== undefined && { expireAfterMs }),
  };
}

export function seriesToJson({ family, attributes, startTimeMs }: RemoteSeries): WireSeries {
  return [family, attributesToJson(attributes), startTimeMs];
}

/**
 * @param familyCount The number of known families.
 * @param budget The rest of the budget of the message.
 * @throws HdrscopeError `ERR_DECODE`; `ERR_TOO_LARGE`
 */
export function seriesFromJson(
  json: unknown,
  where: string,
  familyCount: number,
  budget: Budget,
): RemoteSeries {
  const fields = asArray(json, where, 3);
  const family = asCount(fields[0], `${where}[0]`);
  if (family >= familyCount) throw malformed(`${where}[0]`, `one of ${familyCount} families`, family);
  return {
    family,
    attributes: attributesFromJson(fields[1], `${where}[1]`, budget),
    startTimeMs: asTime(fields[2], `${where}[2]`),
  };
}

function scopeFromJson(json: unknown, where: string): Scope | undefined {
  if (json === undefined || json === null) return undefined;
  const fields = asObject(json, where);
  const version = asOptionalText(fields.version, `${where}.version`);
  const schemaUrl = asOptionalText(fields.schemaUrl, `${where}.schemaUrl`);
  return {
    name: asText(fields.name, `${where}.name`),
    ...(version !== undefined && { version }),
    ...(schemaUrl !== undefined && { schemaUrl }),
  };
}

function boundariesFromJson(json: unknown, where: string, budget: Budget): readonly number[] | undefined {
  if (json === undefined || json === null) return undefined;
  const boundaries = asArray(json, where, MOST_BOUNDARIES);
  budget.takeElements(boundaries.length);
  return boundaries.map((boundary, i) => asFinite(boundary, `${where}[${i}]`));
}
