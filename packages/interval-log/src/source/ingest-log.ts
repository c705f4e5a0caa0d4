import { type Counted, DoubleHistogram, HdrscopeError } from '@hdrscope/core';
import {
  callback,
  fromTicks,
  type OptionRules,
  object,
  optional,
  readOptions,
  resolutionOf,
  scaledLayout,
  visible,
  withDefault,
} from '@hdrscope/core/internal';
import {
  type Attributes,
  type FamilyOptions,
  type IntakeOptions,
  ingest,
  type Registry,
  type SourceObserver,
} from '@hdrscope/registry';
import { assertRegistry, type CounterState, dropAttributes } from '@hdrscope/registry/internal';
import { lineError } from '../errors.ts';
import type { LogComment, LogEntry, LogInterval } from '../reader/entry.ts';
import type { LogSource } from '../reader/input.ts';
import { readEntries } from '../reader/read.ts';
import { type FamilyNote, isFamilyNote, parseFamilyNote } from '../series/family-note.ts';
import { parseSeriesTag, type SeriesTag } from '../series/series-tag.ts';

/** Options of `ingestLog` and `ingestLogEntries`. */
export interface IngestLogOptions extends Pick<IntakeOptions, 'attributes' | 'dropAttributes' | 'observer'> {
  /**
   * Returns the series of an interval whose family the log does not describe, as in logs of other writers. Values of the
   * interval count as ticks of the family's resolution. `undefined` leaves the interval out.
   *
   * @default such intervals are left out
   */
  readonly seriesOf?: (interval: LogInterval) => LoggedSeries | undefined;
  /**
   * Gets the error of each comment that should describe a family and has no effect: `ERR_LOG_FORMAT` when it cannot be read or is beyond
   * 10,000 families, 100 families of one name or 8 Mi characters in all notes, `ERR_ALREADY_REGISTERED` when the log has described the
   * family before with another unit, resolution or number of digits. The first description stays.
   *
   * @default they are ignored
   */
  readonly onRefusedNote?: (error: HdrscopeError) => void;
}

const INGEST_LOG = {
  name: 'ingestLog',
  rules: {
    attributes: optional(object<Attributes>()),
    dropAttributes: optional(dropAttributes),
    observer: optional(object<SourceObserver>()),
    seriesOf: withDefault(callback<NonNullable<IngestLogOptions['seriesOf']>>(), () => undefined),
    onRefusedNote: withDefault(callback<(error: HdrscopeError) => void>(), () => {}),
  } satisfies OptionRules<IngestLogOptions>,
  call: "ingestLog(registry, log, { attributes: { 'host.name': 'a7' } })",
};

/** How many intervals of a log were added, and how many were not. */
export interface IngestLogResult {
  /** How many intervals have their values in the registry now. */
  readonly merged: number;
  /** How many intervals belong to unknown families, or hold doubles, which a series cannot count. */
  readonly leftOut: number;
  /** How many lines are malformed, or have a histogram that cannot be decoded. */
  readonly malformed: number;
}

/** Adds a log to a registry entry by entry. Made by `ingestLogEntries`. */
export interface LogIngestion {
  /** The result so far. It changes with every entry. */
  readonly result: IngestLogResult;
  /**
   * Takes the next entry of the log: a comment that describes a family, or an interval to count. Other entries have no
   * effect.
   *
   * @throws HdrscopeError `ERR_ALREADY_REGISTERED` when the registry has the family with another unit. The interval is not counted.
   */
  take(entry: LogEntry): void;
}

/**
 * Adds the families, series and counts of a log to a registry. Comments of the log describe its families: `openIntervalLog`
 * writes them, and `seriesOf` stands in for them in logs of other writers. An error of the source is thrown unchanged.
 *
 * A family that the registry has already keeps its resolution and its digits. Counts of other steps, or of fewer digits, are added with the
 * slots that their values may lie in: see `SeriesSnapshot.reaches`.
 *
 * @throws HdrscopeError `ERR_ALREADY_REGISTERED` when the registry has a family with another unit. Entries
 *   before the error stay in the registry. `ERR_INVALID_OPTION` when an option does not exist.
 * @example
 * ```ts
 * import { ingestLog } from '@hdrscope/interval-log';
 * import { createRegistry, valuesAtPercentiles } from '@hdrscope/registry';
 *
 * const log = new TextEncoder().encode(
 *   '#[Family: {"name":"rpc","unit":"s","resolution":1e-9,"significantDigits":3,"description":""}]\n' +
 *     'Tag=rpc?method="7",0.127,1.007,0.000,HISTFAAAACJ4nJNpmSzMwMDAxAABzFCaEURcm7yEwf4DRCCYCQBa1gTe\n',
 * );
 * const registry = createRegistry();
 * await ingestLog(registry, log); //=> { merged: 1, leftOut: 0, malformed: 0 }
 * const [family] = (await registry.gather()).families;
 * family!.series[0]!.attributes; //=> { method: '7' }
 * valuesAtPercentiles(family!, family!.series[0]!, [100]); //=> [4.2e-8]
 * ```
 */
export async function ingestLog(
  registry: Registry,
  log: LogSource,
  options: IngestLogOptions = {},
): Promise<IngestLogResult> {
  const entries = ingestLogEntries(registry, options);
  for await (const entry of readEntries(log)) entries.take(entry);
  return entries.result;
}

/**
 * Makes a `ingestLog` that takes entries one by one, as `followLog` yields them.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option does not exist.
 * @example
 * ```ts
 * import { ingestLogEntries, readEntries } from '@hdrscope/interval-log';
 * import { createRegistry } from '@hdrscope/registry';
 *
 * const log = new TextEncoder().encode(
 *   'Tag=get,0.127,1.007,0.000,HISTFAAAACJ4nJNpmSzMwMDAxAABzFCaEURcm7yEwf4DRCCYCQBa1gTe\n',
 * );
 * const registry = createRegistry();
 * const family = { name: 'rpc.duration', unit: 's', resolution: 1e-9, significantDigits: 3 };
 * const entries = ingestLogEntries(registry, { seriesOf: ({ tag }) => ({ family, attributes: { tag } }) });
 * for await (const entry of readEntries(log)) entries.take(entry);
 * entries.result; //=> { merged: 1, leftOut: 0, malformed: 0 }
 * ```
 */
export function ingestLogEntries(registry: Registry, options: IngestLogOptions = {}): LogIngestion {
  return createLogIntake(registry, options);
}

/** A `LogIngestion` that knows the series of its intervals. */
export interface LogIntake extends LogIngestion {
  /** The series of an interval, as the comments that were taken or `seriesOf` say; `undefined` when neither does. */
  seriesOf(interval: LogInterval): LoggedSeries | undefined;
}

/**
 * See `ingestLogEntries`.
 *
 * @param limits How many series a family may have that the registry does not have yet. @default those of the registry
 */
export function createLogIntake(
  registry: Registry,
  options: IngestLogOptions,
  limits: Pick<FamilyOptions, 'cardinalityLimit'> = {},
): LogIntake {
  assertRegistry(registry);
  const { seriesOf, onRefusedNote, ...intake } = readOptions(options, INGEST_LOG);
  const ingestion = ingest(registry, { name: 'interval log' }, intake);
  const families = new LoggedFamilies();
  const result = { merged: 0, leftOut: 0, malformed: 0 };
  const seriesFor = (interval: LogInterval): LoggedSeries | undefined => {
    const series = families.seriesOf(interval) ?? seriesOf(interval);
    return series && { ...series, family: { ...limits, ...series.family } };
  };
  return {
    result,
    seriesOf: seriesFor,
    take(entry) {
      if (entry.kind === 'comment') {
        const refusal = families.add(entry);
        if (refusal !== undefined) onRefusedNote(refusal);
      }
      if (entry.kind === 'malformed') result.malformed++;
      if (entry.kind !== 'interval') return;
      const series = seriesFor(entry);
      const counted = series && decoded(entry);
      if (series === undefined || counted instanceof DoubleHistogram) result.leftOut++;
      else if (counted === undefined) result.malformed++;
      else {
        const { attributes } = series;
        const reading = {
          ...countedFor(registry, series.family, counted),
          attributes,
          key: '',
          counter: DELTA,
        };
        const [refusal] = ingestion.take([reading]);
        if (refusal !== undefined) throw refusal.cause;
        result.merged++;
      }
    },
  };
}

/**
 * Counts in ticks as the registry takes them. A family that it has with other digits takes them all the same, and one that it has with
 * another resolution takes them in its unit. Ticks whose resolution is not stated are those of the family.
 */
function countedFor(
  registry: Registry,
  options: FamilyOptions,
  counted: Counted,
): { readonly family: FamilyOptions; readonly counted: Counted } {
  const known = registry.family(options);
  if (known === undefined) return { family: options, counted };
  const { significantDigits: _, resolution, ...family } = options;
  if (resolution === undefined) return { family, counted };
  const own = resolutionOf(resolution);
  // A resolution comes back from its fraction to the last bit or so.
  if (Math.abs(fromTicks(own, 1) / fromTicks(known.resolution, 1) - 1) <= 1e-12) return { family, counted };
  const inUnit = (layout: Counted['layout']) => scaledLayout(layout, own);
  const { layout, counts, placedFrom } = counted;
  return { family, counted: { layout: inUnit(layout), counts, placedFrom: placedFrom?.map(inUnit) } };
}

/** An interval holds what was counted since the one before it. */
const DELTA: CounterState = { temporality: 'delta' };

function decoded(interval: LogInterval): ReturnType<LogInterval['histogram']> | undefined {
  try {
    return interval.histogram();
  } catch {
    return undefined;
  }
}

/** The series to which an interval belongs. */
export interface LoggedSeries {
  /** The family that takes the values. It is made when it does not exist. */
  readonly family: FamilyOptions;
  /** The attributes of the series within the family. */
  readonly attributes: Attributes;
}

/** The families that comments of a log describe. */
class LoggedFamilies {
  /** By name, then by their tag attributes as JSON: families with tag attributes before the one without. */
  readonly #notes = new Map<string, Map<string, FamilyNote>>();
  #families = 0;
  #characters = 0;

  /**
   * Adds a family if the comment describes one. A family keeps its first description: the lines of a log with one broken note
   * still count where they belong.
   *
   * @returns The error of a note that has no effect: it cannot be read, differs from the first one, or is one too many.
   */
  add({ text, lineNumber }: LogComment): HdrscopeError | undefined {
    const note = parseFamilyNote(text);
    if (note === undefined) return isFamilyNote(text) ? unreadable(lineNumber) : undefined;
    const key = note.tagAttributes === undefined ? WITHOUT_TAGS : JSON.stringify(note.tagAttributes);
    const all = this.#notes.get(note.name);
    const first = all?.get(key);
    if (first !== undefined && canBeCounted(first)) return conflict(first, note, lineNumber);
    if (first === undefined) {
      if (this.#families === MOST_FAMILIES)
        return tooMany(lineNumber, `${MOST_FAMILIES} families`, MOST_FAMILIES);
      if (all?.size === MOST_OF_A_NAME) {
        return tooMany(lineNumber, `${MOST_OF_A_NAME} families of one name`, MOST_OF_A_NAME);
      }
    }
    if (this.#characters + text.length > MOST_CHARACTERS) {
      return tooMany(lineNumber, `families in ${MOST_CHARACTERS} characters`, MOST_CHARACTERS);
    }
    this.#characters += text.length;
    if (first === undefined) this.#families++;
    const notes = all ?? new Map<string, FamilyNote>();
    const last = notes.get(WITHOUT_TAGS);
    notes.set(key, note);
    if (last !== undefined) {
      // The last place is that of the family without tag attributes.
      notes.delete(WITHOUT_TAGS);
      notes.set(WITHOUT_TAGS, key === WITHOUT_TAGS ? note : last);
    }
    this.#notes.set(note.name, notes);
    return undefined;
  }

  /** Returns the series of an interval; `undefined` if its tag names no family of the log. */
  seriesOf({ tag }: Pick<LogInterval, 'tag'>): LoggedSeries | undefined {
    const parsed = tag === undefined ? undefined : parsedTag(tag);
    if (parsed === undefined) return undefined;
    for (const { tagAttributes = {}, ...family } of this.#notes.get(parsed.name)?.values() ?? []) {
      const attributes: Record<string, unknown> = { ...parsed.attributes };
      const isOfFamily = Object.entries(tagAttributes).every(([key, value]) => attributes[key] === value);
      if (!isOfFamily) continue;
      for (const key of Object.keys(tagAttributes)) delete attributes[key];
      return { family, attributes };
    }
    return undefined;
  }
}

const WITHOUT_TAGS = '';

// A registry of a service has hundreds of families, each described in 200 characters. Families share a name where several meters of a
// service have an instrument of it.
const MOST_FAMILIES = 10_000;
const MOST_OF_A_NAME = 100;
const MOST_CHARACTERS = 2 ** 23;

function tooMany(line: number, allowed: string, most: number): HdrscopeError {
  const message = `a log must describe at most ${allowed}: intervals of this one have no unit`;
  return lineError('ERR_LOG_FORMAT', line, message, { details: { most } });
}

function canBeCounted({ significantDigits }: FamilyNote): boolean {
  return Number.isInteger(significantDigits) && significantDigits >= 0 && significantDigits <= 5;
}

function unreadable(line: number): HdrscopeError {
  const message = 'must describe a family, and cannot be read: intervals of this family have no unit';
  return lineError('ERR_LOG_FORMAT', line, message);
}

/** Options of which a family has one value. */
const FIXED = ['unit', 'resolution', 'significantDigits'] as const;

function conflict(first: FamilyNote, note: FamilyNote, line: number): HdrscopeError | undefined {
  const option = FIXED.find((one) => first[one] !== note[one]);
  if (option === undefined) return undefined;
  const { name } = note;
  const [registered, got] = [first[option], note[option]];
  const family = `the family ${JSON.stringify(name)}`;
  const message = visible(
    `line ${line}: ${family} keeps its ${option} ${JSON.stringify(registered)}, got ${JSON.stringify(got)}; give other values another name`,
  );
  return new HdrscopeError('ERR_ALREADY_REGISTERED', message, {
    details: { line, name, option, registered, got },
  });
}

function parsedTag(tag: string): SeriesTag | undefined {
  try {
    return parseSeriesTag(tag);
  } catch {
    return undefined;
  }
}
