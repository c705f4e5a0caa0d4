import { DoubleHistogram } from '@hdrscope/core';
import type { Attributes, FamilyOptions, Registry } from '@hdrscope/registry';
import type { LogEntry, LogInterval } from '../reader/entry.ts';
import type { LogSource } from '../reader/input.ts';
import { readEntries } from '../reader/read.ts';
import { type FamilyNote, parseFamilyNote } from './family-note.ts';
import { parseSeriesTag } from './series-tag.ts';

/** The series that an interval belongs to. */
export interface LoggedSeries {
  readonly family: FamilyOptions;
  readonly attributes: Attributes;
}

/** How a log becomes a registry. */
export interface IntoRegistryOptions {
  /**
   * Says which series an interval belongs to that the log tells no family of, as other writers' do. Its values are taken
   * for ticks of the family's resolution. @default such intervals are left out
   */
  readonly seriesOf?: (interval: LogInterval) => LoggedSeries | undefined;
  /** Added to the attributes of every series, and taken before them. @default none */
  readonly attributes?: Attributes;
}

/** What became of a log's intervals. */
export interface IntoRegistryResult {
  readonly merged: number;
  /** Of no known family, or of doubles, which a series does not count. */
  readonly leftOut: number;
  /** Lines that are none, and intervals without a histogram. */
  readonly malformed: number;
}

/** Adds a log to a registry entry by entry. */
export interface EntriesIntoRegistry {
  /** What became of the intervals so far. */
  readonly result: IntoRegistryResult;
  /**
   * Takes the next entry of the log: notice of a family, or the counts of an interval. Others change nothing.
   *
   * @throws HdrscopeError `ERR_ALREADY_REGISTERED`; the interval is not counted then.
   */
  take(entry: LogEntry): void;
}

/** Knows the families that a log has told of so far, and finds those of its intervals. */
export class LoggedFamilies {
  /** By name: those with tag attributes before the one without. */
  readonly #notes = new Map<string, FamilyNote[]>();

  /** Takes notice of a comment that tells of a family. */
  tell(entry: LogEntry): void {
    const note = entry.kind === 'comment' ? parseFamilyNote(entry.text) : undefined;
    if (note === undefined) return;
    const key = JSON.stringify(note.tagAttributes);
    const others = (this.#notes.get(note.name) ?? []).filter(
      ({ tagAttributes }) => JSON.stringify(tagAttributes) !== key,
    );
    this.#notes.set(note.name, note.tagAttributes === undefined ? [...others, note] : [note, ...others]);
  }

  seriesOf({ tag }: Pick<LogInterval, 'tag'>): LoggedSeries | undefined {
    if (tag === undefined) return undefined;
    const parsed = parsedTag(tag);
    for (const { tagAttributes = {}, ...family } of this.#notes.get(parsed?.name ?? '') ?? []) {
      const attributes: Record<string, unknown> = { ...parsed?.attributes };
      const isOfFamily = Object.entries(tagAttributes).every(([key, value]) => attributes[key] === value);
      if (!isOfFamily) continue;
      for (const key of Object.keys(tagAttributes)) delete attributes[key];
      return { family, attributes };
    }
    return undefined;
  }
}

function parsedTag(tag: string): ReturnType<typeof parseSeriesTag> | undefined {
  try {
    return parseSeriesTag(tag);
  } catch {
    return undefined;
  }
}

/**
 * Adds what a sink's log holds to a registry: the families it tells of, their series, their counts.
 *
 * @throws HdrscopeError `ERR_ALREADY_REGISTERED` when a family is there with another unit or resolution; what the source
 *   throws. What came before stays in the registry.
 * @example
 * ```ts
 * import { intoRegistry } from '@hdrscope/interval-log';
 * import { createRegistry, valuesAtPercentiles } from '@hdrscope/registry';
 *
 * const log = new TextEncoder().encode(
 *   '#[Family: {"name":"rpc","unit":"s","resolution":1e-9,"significantDigits":3,"description":""}]\n' +
 *     'Tag=rpc?method="7",0.127,1.007,0.000,HISTFAAAACJ4nJNpmSzMwMDAxAABzFCaEURcm7yEwf4DRCCYCQBa1gTe\n',
 * );
 * const registry = createRegistry();
 * await intoRegistry(log, registry); //=> { merged: 1, leftOut: 0, malformed: 0 }
 * const [family] = (await registry.gather()).families;
 * family!.series[0]!.attributes; //=> { method: '7' }
 * valuesAtPercentiles(family!, family!.series[0]!, [100]); //=> [4.2e-8]
 * ```
 */
export async function intoRegistry(
  source: LogSource,
  registry: Registry,
  options: IntoRegistryOptions = {},
): Promise<IntoRegistryResult> {
  const entries = entriesIntoRegistry(registry, options);
  for await (const entry of readEntries(source)) entries.take(entry);
  return entries.result;
}

/**
 * As `intoRegistry`, for entries that come one by one: those of a log that is followed.
 *
 * @example
 * ```ts
 * import { entriesIntoRegistry, readEntries } from '@hdrscope/interval-log';
 * import { createRegistry } from '@hdrscope/registry';
 *
 * const log = new TextEncoder().encode(
 *   'Tag=get,0.127,1.007,0.000,HISTFAAAACJ4nJNpmSzMwMDAxAABzFCaEURcm7yEwf4DRCCYCQBa1gTe\n',
 * );
 * const registry = createRegistry();
 * const family = { name: 'rpc.duration', unit: 's', resolution: 1e-9, significantDigits: 3 };
 * const entries = entriesIntoRegistry(registry, { seriesOf: ({ tag }) => ({ family, attributes: { tag } }) });
 * for await (const entry of readEntries(log)) entries.take(entry);
 * entries.result; //=> { merged: 1, leftOut: 0, malformed: 0 }
 * ```
 */
export function entriesIntoRegistry(
  registry: Registry,
  { seriesOf = () => undefined, attributes = {} }: IntoRegistryOptions = {},
): EntriesIntoRegistry {
  const families = new LoggedFamilies();
  const result = { merged: 0, leftOut: 0, malformed: 0 };
  return {
    result,
    take(entry) {
      families.tell(entry);
      if (entry.kind === 'malformed') result.malformed++;
      if (entry.kind !== 'interval') return;
      const series = families.seriesOf(entry) ?? seriesOf(entry);
      const histogram = series && decoded(entry);
      if (series === undefined || histogram instanceof DoubleHistogram) result.leftOut++;
      else if (histogram === undefined) result.malformed++;
      else {
        familyOf(registry, series.family)
          .with({ ...series.attributes, ...attributes })
          .add(histogram);
        result.merged++;
      }
    },
  };
}

function decoded(interval: LogInterval): ReturnType<LogInterval['histogram']> | undefined {
  try {
    return interval.histogram();
  } catch {
    return undefined;
  }
}

/** How many series a family may have is a matter of the registry, and no log tells it. */
function familyOf(registry: Registry, options: FamilyOptions): ReturnType<Registry['histogram']> {
  const known = registry.family(options);
  return registry.histogram(
    known === undefined ? options : { ...options, cardinalityLimit: known.cardinalityLimit },
  );
}
