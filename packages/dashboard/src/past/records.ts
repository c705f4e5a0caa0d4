import { deserialize, serialize } from 'node:v8';
import { Budget } from '@hdrscope/kit';
import { createRegistry } from '@hdrscope/registry';
import {
  attributesFromJson,
  attributesToJson,
  familyFromJson,
  familyToJson,
  type SlotReach,
} from '@hdrscope/registry/internal';
import type { FamilyDefinition, HistorySeries } from '../history/history.ts';
import { type PackedInterval, sizedInterval } from '../history/packed-interval.ts';
import { seriesFacts } from '../live-table.ts';
import { UNSEEN } from './identity.ts';

// The body of a frame is a record in the format of `structuredClone`, so arrays are read as they were.

/** The first record of a file. */
interface VersionRecord {
  readonly kind: 'version';
  readonly version: number;
}

/** A family. */
interface FamilyRecord {
  readonly kind: 'family';
  readonly id: number;
  /** As `familyToJson` has it. */
  readonly family: unknown;
}

/** Series of families that were there before. A series comes again when its reaches or its weight have changed. */
interface SeriesRecord {
  readonly kind: 'series';
  readonly series: readonly (readonly [
    id: number,
    family: number,
    attributes: unknown,
    reaches: ReadonlyMap<number, SlotReach> | undefined,
    /** Absent in files of earlier versions, which knew of no samples. */
    weight?: number,
  ])[];
}

/** An interval. Its series were there before. */
interface IntervalRecord extends Omit<PackedInterval, 'byteLength'> {
  readonly kind: 'interval';
  /** Whether the interval was added after the file was begun. */
  readonly isLater: boolean;
}

/** A process has ended, and has written everything up to this time. */
interface EndRecord {
  readonly kind: 'end';
  readonly endMs: number;
}

/** A record of a file of the past. */
export type PastRecord = VersionRecord | FamilyRecord | SeriesRecord | IntervalRecord | EndRecord;

/** The version of the records that are written. */
export const PAST_VERSION = 1;

// More than any family or series has.
const MOST_ELEMENTS = 1_000_000;

export function encodeRecord(record: PastRecord): Buffer {
  return serialize(record);
}

/** @throws Error when the bytes are no record */
export function decodeRecord(body: Buffer): PastRecord {
  const record = deserialize(body) as PastRecord;
  const { kind } = record;
  const isRight =
    kind === 'interval'
      ? isInterval(record)
      : kind === 'series'
        ? Array.isArray(record.series) && record.series.every(isSeries)
        : kind === 'family'
          ? isId(record.id)
          : kind === 'end'
            ? Number.isFinite(record.endMs)
            : kind === 'version' && Number.isInteger(record.version);
  if (!isRight) throw new Error(`the record is no ${String(kind)}`);
  return record;
}

function isInterval({ startMs, endMs, ids, offsets, sums, bytes }: IntervalRecord): boolean {
  return (
    Number.isFinite(startMs) &&
    Number.isFinite(endMs) &&
    ids instanceof Int32Array &&
    ids.every((id, i) => id > (ids[i - 1] ?? -1)) &&
    offsets instanceof Uint32Array &&
    offsets.length === 2 * ids.length + 1 &&
    offsets.every((offset, i) => offset >= (offsets[i - 1] ?? 0)) &&
    sums instanceof Float64Array &&
    sums.length === ids.length &&
    bytes instanceof Uint8Array &&
    offsets.at(-1) === bytes.length
  );
}

function isSeries([id, family, , reaches, weight = 1]: SeriesRecord['series'][number]): boolean {
  return isId(id) && isId(family) && (reaches === undefined || reaches instanceof Map) && weight >= 1;
}

function isId(id: unknown): boolean {
  return Number.isInteger(id) && (id as number) >= 0 && (id as number) < 2 ** 31;
}

export function toFamilyRecord(id: number, family: FamilyDefinition): FamilyRecord {
  return { kind: 'family', id, family: familyToJson(family, UNSEEN) };
}

/** @throws HdrscopeError when it is not the record of a family */
export function fromFamilyRecord({ family }: FamilyRecord): FamilyDefinition {
  const options = familyFromJson(family, 'family', new Budget('the family', { elements: MOST_ELEMENTS }));
  const { series: _, ...definition } = createRegistry().histogram(options).snapshot();
  return definition;
}

export function toSeriesRecord(series: readonly HistorySeries[]): SeriesRecord {
  return {
    kind: 'series',
    series: series.map(({ facts, attributes, reaches, weight }) => [
      facts.id,
      facts.family,
      attributesToJson(attributes),
      // An object of a class would be written without what it has.
      reaches && new Map(reaches),
      weight,
    ]),
  };
}

/**
 * The series of a record whose families are known.
 *
 * @throws HdrscopeError when it is not a record of series
 */
export function fromSeriesRecord(
  { series }: SeriesRecord,
  families: ReadonlyMap<number, FamilyDefinition>,
): HistorySeries[] {
  const budget = new Budget('the series', { elements: MOST_ELEMENTS });
  return series.flatMap(([id, familyId, json, reaches, weight = 1]): HistorySeries[] => {
    const family = families.get(familyId);
    if (family === undefined) return [];
    const attributes = attributesFromJson(json, 'attributes', budget);
    // Slots ascend, whoever wrote the file.
    const ordered = reaches && new Map([...reaches].sort(([a], [b]) => a - b));
    return [{ facts: seriesFacts(id, familyId, attributes), family, attributes, reaches: ordered, weight }];
  });
}

export function toIntervalRecord(interval: PackedInterval, isLater: boolean): IntervalRecord {
  const { startMs, endMs, ids, offsets, sums, bytes } = interval;
  return { kind: 'interval', isLater, startMs, endMs, ids, offsets, sums, bytes };
}

/**
 * The interval of a record, without series that are not known.
 *
 * @returns With the number of its series that were left out.
 */
export function fromIntervalRecord(
  { startMs, endMs, ids, offsets, sums, bytes }: IntervalRecord,
  isKnown: (id: number) => boolean,
): { readonly interval: PackedInterval; readonly leftOut: number } {
  const leftOut = ids.reduce((sum, id) => sum + (isKnown(id) ? 0 : 1), 0);
  // A copy: the arrays of a record share the bytes of its whole frame.
  const whole = sizedInterval({
    ...{ startMs, endMs },
    ids: ids.slice(),
    offsets: offsets.slice(),
    sums: sums.slice(),
    bytes: bytes.slice(),
  });
  if (leftOut === 0) return { interval: whole, leftOut };
  const places = [...ids.keys()].filter((place) => isKnown(ids[place]!));
  return { interval: selectSeries(whole, places), leftOut };
}

function selectSeries(
  { ids, offsets, sums, bytes, ...times }: PackedInterval,
  places: readonly number[],
): PackedInterval {
  const ends = new Uint32Array(2 * places.length + 1);
  const parts = places.map((place, i) => {
    const [from, middle, to] = [offsets[2 * place]!, offsets[2 * place + 1]!, offsets[2 * place + 2]!];
    ends[2 * i + 1] = ends[2 * i]! + middle - from;
    ends[2 * i + 2] = ends[2 * i]! + to - from;
    return bytes.subarray(from, to);
  });
  return sizedInterval({
    ...{ startMs: times.startMs, endMs: times.endMs },
    ids: Int32Array.from(places, (place) => ids[place]!),
    offsets: ends,
    sums: Float64Array.from(places, (place) => sums[place]!),
    bytes: new Uint8Array(Buffer.concat(parts)),
  });
}
