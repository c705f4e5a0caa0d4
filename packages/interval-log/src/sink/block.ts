import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Resolution } from '@hdrscope/core';
import { nanosecondsPer } from '@hdrscope/kit';
import type { Attributes, FamilySnapshot, Scope, SeriesSnapshot, Snapshot } from '@hdrscope/registry';
import { type FamilyNote, formatFamilyNote, jsonLine } from '../series/family-note.ts';
import { formatSeriesTag } from '../series/series-tag.ts';
import { formatComment, formatInterval } from '../writer/format.ts';

/** The whole lines that one interval of the sink adds to a log. They do not depend on the file. Times are milliseconds since 1970. */
export interface Block {
  readonly startMs: number;
  /** Start of the earliest line. */
  readonly earliestMs: number;
  /** The base time of the timestamps in `text`. */
  readonly baseMs: number;
  /** By family: the comment above its first line in a file. */
  readonly notes: ReadonlyMap<string, string>;
  readonly text: string;
  /** Number of intervals in `text`. */
  readonly lineCount: number;
}

/** The times of a block, in milliseconds since 1970. */
export interface BlockTimes {
  readonly startMs: number;
  readonly endMs: number;
  readonly baseMs: number;
  /** Whether a series may start before `startMs`: the first block has the counts from before the log was opened. */
  readonly isFirst: boolean;
}

// Number of series encoded before other work gets a turn: a few milliseconds at most.
const SERIES_PER_TURN = 16;

/** Formats the difference of two snapshots. It works in turns, because thousands of series take a while. */
export async function blockOf(
  difference: Snapshot,
  { startMs, endMs, baseMs: usualBaseMs, isFirst }: BlockTimes,
  tags: FamilyTags,
  level: number,
): Promise<Block> {
  const startOf = (series: SeriesSnapshot): number =>
    isFirst && series.startTimeMs > 0 ? Math.min(series.startTimeMs, startMs) : startMs;
  const starts = difference.families.flatMap(({ series }) => series.map(startOf));
  const earliestMs = starts.reduce((earliest, one) => Math.min(earliest, one), startMs);
  // Strict readers take no negative timestamps.
  const baseMs = Math.floor(Math.min(usualBaseMs, earliestMs));
  const notes = new Map<string, string>();
  const lines: string[] = [];
  let lineCount = 0;
  let encodedInTurn = 0;
  for (const family of difference.families) {
    if (family.series.length === 0) continue;
    const tagAttributes = tags.tagAttributesOf(family);
    notes.set(familyKeyOf(family), formatFamilyNote(familyNote(family, tagAttributes)));
    const valueScale = valueScaleOf(family.unit, family.resolution);
    for (const series of family.series) {
      const tag = formatSeriesTag(family.name, { ...series.attributes, ...tagAttributes });
      for (const line of rejectedNote(tag, series)) lines.push(line);
      if (series.histogram.totalCount === 0) continue;
      lines.push(
        formatInterval(series.histogram, {
          tag,
          startSec: (startOf(series) - baseMs) / 1000,
          endSec: (endMs - baseMs) / 1000,
          valueScale,
          level,
        }),
      );
      lineCount++;
      if (++encodedInTurn % SERIES_PER_TURN === 0) await nextTurn();
    }
  }
  return { startMs, earliestMs, baseMs, notes, text: lines.join(''), lineCount };
}

/** Formats a comment about values that could not be counted, because a line of an interval has no field for them. */
function rejectedNote(tag: string, { rejected }: SeriesSnapshot): string[] {
  const { notANumber, negative, tooLarge, overflowing } = rejected;
  if (notANumber + negative + tooLarge + overflowing === 0) return [];
  return [formatComment(`[Rejected: ${jsonLine({ tag, ...rejected })}]`)];
}

/** Whether any series of a difference has counted something. */
export function hasIncrease(difference: Snapshot): boolean {
  return difference.families.some(({ series }: FamilySnapshot) => series.length > 0);
}

/** Makes the description of a family that its lines need when they are read back. */
function familyNote(family: FamilySnapshot, tagAttributes?: Attributes): FamilyNote {
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
function valueScaleOf(unit: string, { ticksPerUnit, unitsPerTick }: Resolution): number {
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
function familyKeyOf({ name, scope }: Pick<FamilySnapshot, 'name' | 'scope'>): string {
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
