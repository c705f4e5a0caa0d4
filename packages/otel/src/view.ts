import { explicitLayout } from '@hdrscope/core';
import {
  filledText,
  flag,
  having,
  integer,
  listOf,
  mustBe,
  number,
  type OptionRules,
  optional,
  readOptions,
  resolutionOf,
  text,
  withDefault,
} from '@hdrscope/core/internal';
import { wildcard } from '@hdrscope/kit';
import type { FamilyOptions } from '@hdrscope/registry';
import type { AttributesProcessor, MetricScope } from './sdk.ts';

/**
 * Selects instruments and says how they become HDR histograms. All given criteria must match; at least one must be given.
 * Views of the SDK that select the same instrument hold too. They may state the name, the description, the limit, the
 * boundaries and `maxSize` that this view leaves out.
 */
export interface HdrView {
  /** Matches the instrument's name, ignoring case: `*` stands for any characters, `?` for exactly one. */
  readonly instrumentName?: string;
  /** Only `'HISTOGRAM'` has a distribution: a view of any other type logs a warning and matches nothing. */
  readonly instrumentType?: string;
  /** Matches the instrument's unit exactly, such as `ms`. */
  readonly instrumentUnit?: string;
  /** Matches the name of the instrument's meter exactly. */
  readonly meterName?: string;
  /** Matches the version of the instrument's meter exactly. */
  readonly meterVersion?: string;
  /** Matches the schema URL of the instrument's meter exactly. */
  readonly meterSchemaUrl?: string;

  /** The metric's name, for a view whose `instrumentName` has no wildcards. @default the instrument's name */
  readonly name?: string;
  /** The metric's description. @default the instrument's description */
  readonly description?: string;
  /** Process the attributes of each record, in this order, before the series is looked up. @default no processors */
  readonly attributesProcessors?: readonly AttributesProcessor[];
  /** Keys of the attributes to keep, applied after `attributesProcessors`. @default all are kept */
  readonly allowAttributes?: readonly string[];
  /** Keys of the attributes to drop, applied after `attributesProcessors`. @default no attribute is dropped */
  readonly denyAttributes?: readonly string[];
  /** Whether the SDK also counts the instrument, as its own views say. @default false */
  readonly tee?: boolean;
  /** Decimal digits to which a value keeps its precision: an integer from 0 to 5. @default 2 */
  readonly significantDigits?: number;
  /**
   * The smallest difference between two values, in the instrument's unit.
   * @default 1 for an instrument of integers (`ValueType.INT`) without a unit, else by unit: a nanosecond for times
   */
  readonly resolution?: number;
  /** How many series there may be, besides the overflow series: an integer of at least 1. @default 2000 */
  readonly aggregationCardinalityLimit?: number;
  /** A series that has counted nothing for so many milliseconds ends: see `FamilyOptions`. Above 0. @default series do not end */
  readonly expireAfterMs?: number;
  /** The most buckets of an exponential histogram: an integer of at least 2. @default 160 */
  readonly maxSize?: number;
  /** The finest scale of an exponential histogram: an integer from -10 to 20. @default the scale that the digits justify */
  readonly maxScale?: number;
  /**
   * Ascending boundaries of an explicit histogram. Counts at them are exact, as in the SDK. When the family of the instrument is
   * registered already, readers show these boundaries too, and counts are exact only at those that the family had first.
   * @default the instrument's advice, else OpenTelemetry's defaults
   */
  readonly boundaries?: readonly number[];
  /**
   * Values in the instrument's unit at which counts are exact, such as those of objectives: see `FamilyOptions`. Prometheus gets a
   * counter of the values within each. @default counts are exact at the boundaries only
   */
  readonly thresholds?: readonly number[];
}

/** The properties of an instrument that a view's criteria compare. */
export interface InstrumentIdentity {
  readonly name: string;
  readonly unit: string;
  readonly scope: MetricScope;
}

/** A checked view. */
export interface CompiledView extends HdrView {
  /** The view's own processors, then one for each of its lists of keys. */
  readonly attributesProcessors: readonly AttributesProcessor[];
  matches(instrument: InstrumentIdentity): boolean;
  /** Whether the criterion for the name matches, whatever the others do. */
  matchesName(name: string): boolean;
}

const CRITERIA = [
  'instrumentName',
  'instrumentType',
  'instrumentUnit',
  'meterName',
  'meterVersion',
  'meterSchemaUrl',
] as const;

const VIEW = {
  name: 'an HDR view',
  rules: {
    instrumentName: optional(text),
    instrumentType: optional(text),
    instrumentUnit: optional(text),
    meterName: optional(text),
    meterVersion: optional(text),
    meterSchemaUrl: optional(text),
    name: optional(filledText()),
    description: optional(text),
    attributesProcessors: withDefault(
      listOf(having<AttributesProcessor>('an attribute processor', 'process'), 'attribute processors'),
      [],
    ),
    allowAttributes: optional(listOf(text, 'keys')),
    denyAttributes: optional(listOf(text, 'keys')),
    tee: optional(flag),
    significantDigits: optional(integer({ from: 0, to: 5 })),
    resolution: optional(number({ above: 0 })),
    aggregationCardinalityLimit: optional(integer({ from: 1 })),
    expireAfterMs: optional(number({ above: 0, to: Number.POSITIVE_INFINITY })),
    maxSize: optional(integer({ from: 2 })),
    maxScale: optional(integer({ from: -10, to: 20 })),
    boundaries: optional(listOf(number(), 'finite numbers')),
    thresholds: optional(listOf(number(), 'finite numbers')),
  } satisfies OptionRules<HdrView>,
  call: "{ instrumentName: 'http.*.duration', significantDigits: 3 }",
};

/**
 * Checks a view, so that a mistake shows when the application starts and not at the first export.
 *
 * @param place Its name in messages: `views[0]`. Left out, they name the option only.
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option is outside the range stated on it.
 */
export function compileView(view: HdrView, place?: string): CompiledView {
  const prefix = place === undefined ? '' : `${place}.`;
  const options = readOptions(view, VIEW, prefix);
  const { allowAttributes, denyAttributes, attributesProcessors, ...checked } = options;
  const { instrumentName, resolution, boundaries } = checked;
  if (CRITERIA.every((criterion) => checked[criterion] === undefined)) {
    throw mustBe(
      'ERR_INVALID_OPTION',
      place ?? 'a view',
      `given at least one of ${CRITERIA.join(', ')}`,
      view,
    );
  }
  if (checked.name !== undefined && (instrumentName === undefined || /[*?]/.test(instrumentName))) {
    const allowed = 'without wildcards in a view with a name';
    throw mustBe('ERR_INVALID_OPTION', `${prefix}instrumentName`, allowed, instrumentName);
  }
  // The registry would refuse them only when the instrument is made.
  if (resolution !== undefined) resolutionOf(resolution);
  if (boundaries !== undefined) explicitLayout(boundaries);
  const pattern = view.instrumentName === undefined ? undefined : wildcard(view.instrumentName);
  const matchesName = (name: string): boolean => pattern === undefined || pattern.test(name);
  const equal = (criterion: string | undefined, actual: string | undefined): boolean =>
    criterion === undefined || criterion === (actual ?? '');
  return {
    ...view,
    attributesProcessors: [
      ...attributesProcessors,
      ...(allowAttributes === undefined ? [] : [keyFilter(allowAttributes, true)]),
      ...(denyAttributes === undefined ? [] : [keyFilter(denyAttributes, false)]),
    ],
    matchesName,
    matches: (instrument) =>
      matchesName(instrument.name) &&
      equal(view.instrumentType, 'HISTOGRAM') &&
      equal(view.instrumentUnit, instrument.unit) &&
      equal(view.meterName, instrument.scope.name) &&
      equal(view.meterVersion, instrument.scope.version) &&
      equal(view.meterSchemaUrl, instrument.scope.schemaUrl),
  };
}

/** Keeps the attributes whose keys are listed, or, when `isKept` is false, those whose keys are not. */
function keyFilter(keys: readonly string[], isKept: boolean): AttributesProcessor {
  const listed = new Set(keys);
  return {
    process: (attributes) =>
      Object.fromEntries(Object.entries(attributes).filter(([key]) => listed.has(key) === isKept)),
  };
}

/** Options of the family that a view makes of an instrument. */
export function familyOptions(
  view: HdrView,
  { name, unit, description, scope }: InstrumentIdentity & { readonly description: string },
): FamilyOptions {
  const {
    significantDigits,
    resolution,
    expireAfterMs,
    thresholds,
    aggregationCardinalityLimit: cardinalityLimit,
  } = view;
  return {
    name: view.name ?? name,
    unit,
    description: view.description ?? description,
    scope: {
      name: scope.name,
      ...(scope.version !== undefined && { version: scope.version }),
      ...(scope.schemaUrl !== undefined && { schemaUrl: scope.schemaUrl }),
    },
    ...(significantDigits !== undefined && { significantDigits }),
    ...(resolution !== undefined && { resolution }),
    ...(thresholds !== undefined && { thresholds }),
    ...(cardinalityLimit !== undefined && { cardinalityLimit }),
    ...(expireAfterMs !== undefined && { expireAfterMs }),
  };
}
