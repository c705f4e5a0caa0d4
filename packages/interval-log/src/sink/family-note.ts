import { type Resolution, resolutionOf } from '@hdrscope/core';
import type { Attributes, FamilyOptions, FamilySnapshot, Scope } from '@hdrscope/registry';
import { formatComment } from '../writer/format.ts';

/** What a log says of a family, so that its lines can be read back with their unit. */
export interface FamilyNote extends FamilyOptions {
  readonly unit: string;
  readonly description: string;
  readonly resolution: number;
  readonly significantDigits: number;
  /** What its tags have beside the attributes of the series, where another family has the same name. */
  readonly tagAttributes?: Attributes;
}

export function familyNote(family: FamilySnapshot, tagAttributes?: Attributes): FamilyNote {
  const { name, unit, description, resolution, layout, scope } = family;
  return {
    name,
    unit,
    resolution: resolution.unitsPerTick / resolution.ticksPerUnit,
    significantDigits: layout.significantDigits,
    description,
    ...(scope && { scope }),
    ...(tagAttributes && { tagAttributes }),
  };
}

/** A comment: `#[Family: {"name":"http.server.request.duration","unit":"s",…}]`. */
export function formatFamilyNote(note: FamilyNote): string {
  return formatComment(`[Family: ${jsonLine(note)}]`);
}

/** JSON that no reader takes for several lines; Java's ends lines at more characters than most. */
export function jsonLine(value: unknown): string {
  return JSON.stringify(value).replaceAll(
    LINE_ENDS,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

const LINE_ENDS = /[\u0085\u2028\u2029]/g;

/**
 * Reads the text of a comment, without its `#`; `undefined` where it is no family's.
 */
export function parseFamilyNote(comment: string): FamilyNote | undefined {
  const json = /^\[Family: (\{.*\})\]$/.exec(comment.trim())?.[1];
  if (json === undefined) return undefined;
  try {
    return asNote(JSON.parse(json));
  } catch {
    return undefined;
  }
}

function asNote(json: Record<string, unknown>): FamilyNote | undefined {
  const { name, unit, description, resolution, significantDigits, scope, tagAttributes } = json;
  if (typeof name !== 'string' || typeof unit !== 'string' || typeof description !== 'string')
    return undefined;
  if (typeof resolution !== 'number' || typeof significantDigits !== 'number') return undefined;
  // Throws for what is none.
  resolutionOf(resolution);
  return {
    name,
    unit,
    description,
    resolution,
    significantDigits,
    ...(isObject(scope) && { scope: scope as unknown as Scope }),
    ...(isObject(tagAttributes) && { tagAttributes }),
  };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const MS_PER_UNIT: ReadonlyMap<string, number> = new Map([
  ['s', 1e3],
  ['ms', 1],
  ['us', 1e-3],
  ['ns', 1e-6],
  ['min', 6e4],
  ['h', 36e5],
]);

/** What the third column divides ticks by: it then shows milliseconds where the unit is one of time, else the unit. */
export function valueScaleOf(unit: string, { ticksPerUnit, unitsPerTick }: Resolution): number {
  return ticksPerUnit / (unitsPerTick * (MS_PER_UNIT.get(unit) ?? 1));
}

/** Finds what tells families of one name apart in tags: the first has its name to itself, later ones tell their scope. */
export class FamilyTags {
  readonly #byFamily = new Map<string, Attributes | undefined>();
  readonly #names = new Set<string>();

  tagAttributesOf({ name, scope }: Pick<FamilySnapshot, 'name' | 'scope'>): Attributes | undefined {
    const key = familyKeyOf({ name, scope });
    if (!this.#byFamily.has(key)) {
      this.#byFamily.set(key, this.#names.has(name) ? scopeAttributes(scope) : undefined);
      this.#names.add(name);
    }
    return this.#byFamily.get(key);
  }
}

/** Of families of one registry, equal for the same one only. */
export function familyKeyOf({ name, scope }: Pick<FamilySnapshot, 'name' | 'scope'>): string {
  return JSON.stringify([name, scope?.name, scope?.version, scope?.schemaUrl]);
}

/** Source: https://opentelemetry.io/docs/specs/otel/common/mapping-to-non-otlp/#instrumentationscope */
function scopeAttributes(scope: Scope | undefined): Attributes {
  if (scope === undefined) return { 'otel.scope': 'none' };
  return {
    'otel.scope.name': scope.name,
    'otel.scope.version': scope.version,
    'otel.scope.schema_url': scope.schemaUrl,
  };
}
