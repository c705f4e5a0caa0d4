import type { Resolution } from '@hdrscope/core';
import { nanosecondsPer } from '@hdrscope/kit';
import type { Attributes, FamilySnapshot, Scope } from '@hdrscope/registry';
import type { FamilyNote } from '../series/family-note.ts';

/** Makes the description of a family that its lines need when they are read back. */
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

/** Divisor of ticks in the third column: the column shows milliseconds for a unit of time, and the unit itself otherwise. */
export function valueScaleOf(unit: string, { ticksPerUnit, unitsPerTick }: Resolution): number {
  return ticksPerUnit / (unitsPerTick * ((nanosecondsPer(unit) ?? 1e6) / 1e6));
}

/** Attributes that keep tags of families with the same name apart: the scope of every family but the first. */
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

/** Returns a key that is unique among the families of a registry. */
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
