import {
  explicitLayout,
  type HdrLayout,
  HdrscopeError,
  hdrLayout,
  type Layout,
  type Resolution,
} from '@hdrscope/core';
import {
  filledText,
  fromTicks,
  integer,
  listOf,
  number,
  type OptionRule,
  type OptionRules,
  optional,
  optionsIn,
  readOptions,
  resolutionOf,
  scaledLayout,
  text,
  withDefault,
} from '@hdrscope/core/internal';
import { nanosecondsPer } from '@hdrscope/kit';

/** The library that made a family: an OpenTelemetry instrumentation scope. */
export interface Scope {
  /** Name of the library, such as `@opentelemetry/instrumentation-http`. */
  readonly name: string;
  /** Version of the library. @default no version */
  readonly version?: string;
  /** URL of the semantic conventions that the library follows. @default no schema URL */
  readonly schemaUrl?: string;
}

/** The definition of a family: see `Registry.histogram`. */
export interface FamilyOptions {
  /** Not empty; unique within the scope. Upper and lower case are the same. */
  readonly name: string;
  /** The unit of all values: a UCUM code such as `s`, `By` or `1`. @default '', values have no unit */
  readonly unit?: string;
  /** A sentence for people. @default '' */
  readonly description?: string;
  /**
   * The step in which values are counted, in the unit: finite and above 0. A value counts at the nearest multiple,
   * which is its tick, and the largest value that a series can count is 2^53 − 1 ticks.
   * @default see `defaultResolution`
   */
  readonly resolution?: number;
  /** The decimal digits to which a value keeps its precision: an integer from 0 to 5. @default 2 */
  readonly significantDigits?: number;
  /** The largest number of series: an integer of at least 1. The overflow series takes all others. @default 2000 */
  readonly cardinalityLimit?: number;
  /** The library that makes the family. Families of different scopes may have one name. @default no scope */
  readonly scope?: Scope;
  /**
   * Explicit bucket boundaries that suit the values: finite numbers in the unit, ascending. A boundary belongs to the
   * bucket below it. Formats with explicit buckets use them unless their own options name others. Each boundary is a
   * threshold. Families that differ in their boundaries only are the same family, which keeps its first boundaries.
   * @default no boundaries, each format uses its own
   */
  readonly boundaries?: readonly number[];
  /**
   * Values at which counts are exact, such as those of objectives: finite numbers in the unit, in any order. A series knows how
   * many of its recorded values are at most the threshold, however close to it they are: see `bucketCounts`. Prometheus gets a
   * counter of the values within each, besides the histogram. Families that differ in their thresholds only are the same family,
   * which keeps its first thresholds.
   * @default counts are exact at the boundaries only
   */
  readonly thresholds?: readonly number[];
  /**
   * More values at which counts are exact: the boundaries of formats that use no boundaries of the family.
   * @default none
   */
  readonly otherThresholds?: readonly number[];
  /**
   * A series that has counted nothing for so long ends, as by `Family.remove`: in milliseconds, above 0. The registry looks for such
   * series whenever it is gathered. A family that is registered already keeps its own.
   * @default series do not end by themselves
   */
  readonly expireAfterMs?: number;
}

/** The settings of a family: its options with all defaults applied. */
export interface FamilySettings {
  /** Name of the instrument, such as `http.server.request.duration`. */
  readonly name: string;
  /** UCUM code of the values, such as `s` or `By`; `''` when they have no unit. */
  readonly unit: string;
  /** For people: one sentence about the values; `''` when there is no description. */
  readonly description: string;
  /** The library that made the family; `undefined` for a family without a scope. */
  readonly scope: Scope | undefined;
  /** One tick of the histograms, in the unit. */
  readonly resolution: Resolution;
  /** The layout that all histograms share, in ticks. */
  readonly layout: HdrLayout;
  /** The same layout in the unit. */
  readonly unitLayout: Layout;
  /** At least 1. */
  readonly cardinalityLimit: number;
  /** Boundaries of explicit buckets, in the unit; `undefined` when the family was made without boundaries. */
  readonly boundaries: readonly number[] | undefined;
  /** All values at which counts are exact, ascending: the boundaries and all thresholds of the options. */
  readonly thresholds: readonly number[];
  /** Those of the option `thresholds`, in the unit, ascending. */
  readonly statedThresholds: readonly number[];
  /** Milliseconds; `undefined` when series do not end by themselves. */
  readonly expireAfterMs: number | undefined;
}

export const scope: OptionRule<Scope> = optionsIn<Scope>({
  name: 'scope',
  rules: { name: text, version: optional(text), schemaUrl: optional(text) },
});

const FAMILY = {
  name: 'a family',
  rules: {
    name: filledText(),
    unit: withDefault(text, ''),
    description: withDefault(text, ''),
    resolution: optional(number({ above: 0 })),
    // The memory of a series grows with its digits. Two need a fifth of what three need, and keep 100 ms and 101 ms apart.
    significantDigits: withDefault(integer({ from: 0, to: 5 }), 2),
    cardinalityLimit: withDefault(integer({ from: 1 }), 2000),
    scope: optional(scope),
    boundaries: optional(listOf(number(), 'finite numbers')),
    thresholds: withDefault(listOf(number(), 'finite numbers'), []),
    otherThresholds: withDefault(listOf(number(), 'finite numbers'), []),
    expireAfterMs: optional(number({ above: 0, to: Number.POSITIVE_INFINITY })),
  } satisfies OptionRules<FamilyOptions>,
  call: "registry.histogram({ name: 'http.server.request.duration', unit: 's' })",
};

/**
 * Checks options, and applies the defaults of those that are left out.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION`
 */
export function familySettings(options: FamilyOptions): FamilySettings {
  const { scope, boundaries, significantDigits, ...given } = readOptions(options, FAMILY);
  const { thresholds, otherThresholds, ...settings } = given;
  const resolution = resolutionOf(settings.resolution ?? defaultResolution(settings.unit));
  const layout = largestLayout(significantDigits);
  return {
    ...settings,
    scope: scope && Object.freeze({ ...scope }),
    resolution,
    layout,
    unitLayout: scaledLayout(layout, resolution),
    boundaries: boundaries && Object.freeze([...explicitLayout(boundaries).edges]),
    thresholds: ascending([...(boundaries ?? []), ...thresholds, ...otherThresholds]),
    statedThresholds: ascending(thresholds),
  };
}

function ascending(values: readonly number[]): readonly number[] {
  return Object.freeze([...new Set(values)].sort((a, b) => a - b));
}

/**
 * The default resolution of a family, by its unit: a nanosecond for units of time, 1 for bytes, bits and
 * annotations such as `{request}`, a millionth for ratios (unit `1`), and a thousandth for all other units.
 *
 * @param unit A UCUM code.
 * @returns The step between two values, in the unit.
 * @example
 * ```ts
 * import { defaultResolution } from '@hdrscope/registry/internal';
 *
 * ['s', 'ms', 'By', '1', 'Cel'].map(defaultResolution); //=> [1e-9, 1e-6, 1, 1e-6, 1e-3]
 * ```
 */
export function defaultResolution(unit: string): number {
  const nsPerUnit = nanosecondsPer(unit);
  if (nsPerUnit !== undefined) return 1 / nsPerUnit;
  if (COUNTED_WHOLE.test(unit)) return 1;
  return unit === '1' ? 1e-6 : 1e-3;
}

// Bytes, bits, and UCUM annotations such as {request}.
const COUNTED_WHOLE = /^(By|bit|\{.*\})$/;

const layoutsByDigits = new Map<number, HdrLayout>();

/** Families of equal digits share a layout, so that whatever is computed for a layout is computed once. */
function largestLayout(significantDigits: number): HdrLayout {
  let layout = layoutsByDigits.get(significantDigits);
  if (layout === undefined) {
    layout = hdrLayout({ highestTrackableValue: Number.MAX_SAFE_INTEGER, significantDigits });
    layoutsByDigits.set(significantDigits, layout);
  }
  return layout;
}

/** The options that decide how a family counts. An option that is left out is not compared. */
export interface CountingOptions {
  /** Names the family in the error. */
  readonly name: string;
  readonly unit: string;
  readonly resolution?: number | undefined;
  readonly significantDigits?: number | undefined;
  readonly cardinalityLimit?: number | undefined;
}

/**
 * Makes sure that a registered family counts in the way that is asked for.
 *
 * @throws HdrscopeError `ERR_ALREADY_REGISTERED` that names the family and the first option that differs.
 */
export function assertSameCounting(family: FamilySettings, asked: CountingOptions): void {
  const registered = countingOptions(family);
  for (const option of ['unit', 'resolution', 'significantDigits', 'cardinalityLimit'] as const) {
    const [ours, theirs] = [registered[option], asked[option]];
    if (theirs === undefined || ours === theirs) continue;
    // A resolution comes back from its fraction to the last bit or so.
    if (option === 'resolution' && Math.abs((theirs as number) / (ours as number) - 1) <= 1e-12) continue;
    throw alreadyRegistered(asked.name, option, ours, theirs);
  }
}

export function countingOptions(family: FamilySettings): Required<CountingOptions> {
  const { name, unit, resolution, layout, cardinalityLimit } = family;
  const { significantDigits } = layout;
  return { name, unit, resolution: fromTicks(resolution, 1), significantDigits, cardinalityLimit };
}

function alreadyRegistered(name: string, option: string, registered: unknown, got: unknown): HdrscopeError {
  const options = `${option} ${JSON.stringify(registered)}, got ${JSON.stringify(got)}`;
  const message = `the family "${name}" is registered with ${options}`;
  return new HdrscopeError('ERR_ALREADY_REGISTERED', message, { details: { name, option, registered, got } });
}
