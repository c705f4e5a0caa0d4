import { mustBe } from '@hdrscope/core';
import { createRegistry, type FamilyOptions } from '@hdrscope/registry';
import type { AttributesProcessor, MetricScope } from './sdk.ts';

/** Which instruments become HDR histograms, and how. All criteria given must hold; at least one must be given. */
export interface HdrView {
  /** The instrument's name, without regard to case; `*` stands for any characters, `?` for exactly one. */
  readonly instrumentName?: string;
  /** Only histograms have a distribution: any other type is warned of and matches nothing. */
  readonly instrumentType?: string;
  readonly instrumentUnit?: string;
  readonly meterName?: string;
  readonly meterVersion?: string;
  readonly meterSchemaUrl?: string;

  /** The name of the metric, in place of the instrument's. Only for a view that matches one name. */
  readonly name?: string;
  /** The description of the metric, in place of the instrument's. */
  readonly description?: string;
  /** Applied to the attributes in turn before they are looked up, as an SDK view's are. */
  readonly attributesProcessors?: readonly AttributesProcessor[];
  /** Attributes that are kept, by key; all others are left out. After `attributesProcessors`. @default all */
  readonly allowAttributes?: readonly string[];
  /** Attributes that are left out, by key. After `attributesProcessors`. @default none */
  readonly denyAttributes?: readonly string[];
  /** Whether the SDK counts the instrument too, as its own views say. @default false */
  readonly tee?: boolean;
  /** Decimal digits to which a value keeps its precision: an integer from 0 to 5. @default 2 */
  readonly significantDigits?: number;
  /** The step between two values that are told apart, in the instrument's unit. @default by unit: a nanosecond for times */
  readonly resolution?: number;
  /** How many series there may be, besides the overflow series. @default 2000 */
  readonly aggregationCardinalityLimit?: number;
  /** Buckets that an exponential histogram may have: an integer of at least 2. @default 160 */
  readonly maxSize?: number;
  /** The finest scale of an exponential histogram: an integer from -10 to 20. @default what the digits justify */
  readonly maxScale?: number;
  /** Boundaries of an explicit histogram. @default the instrument's advice, else OpenTelemetry's */
  readonly boundaries?: readonly number[];
}

/** What a view is matched against. */
export interface InstrumentIdentity {
  readonly name: string;
  readonly unit: string;
  readonly scope: MetricScope;
}

/** A view that has been checked. */
export interface CompiledView extends HdrView {
  /** Those of the view, and its lists of keys. */
  readonly attributesProcessors: readonly AttributesProcessor[];
  matches(instrument: InstrumentIdentity): boolean;
}

const CRITERIA = [
  'instrumentName',
  'instrumentType',
  'instrumentUnit',
  'meterName',
  'meterVersion',
  'meterSchemaUrl',
] as const;

/**
 * Checks a view, so that what is wrong with it shows at start-up and not at the first export.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION`.
 */
export function compileView(view: HdrView): CompiledView {
  if (CRITERIA.every((criterion) => view[criterion] === undefined)) {
    throw mustBe('ERR_INVALID_OPTION', 'a view', `given at least one of ${CRITERIA.join(', ')}`, view);
  }
  if (view.name !== undefined && !(view.instrumentName !== undefined && !/[*?]/.test(view.instrumentName))) {
    throw mustBe(
      'ERR_INVALID_OPTION',
      'instrumentName',
      'without wildcards in a view with a name',
      view.instrumentName,
    );
  }
  const { maxSize, maxScale } = view;
  if (maxSize !== undefined && !(Number.isSafeInteger(maxSize) && maxSize >= 2)) {
    throw mustBe('ERR_INVALID_OPTION', 'maxSize', 'an integer of at least 2', maxSize);
  }
  if (maxScale !== undefined && !(Number.isInteger(maxScale) && maxScale >= -10 && maxScale <= 20)) {
    throw mustBe('ERR_INVALID_OPTION', 'maxScale', 'an integer from -10 to 20', maxScale);
  }
  const { allowAttributes, denyAttributes, attributesProcessors = [] } = view;
  assertKeys('allowAttributes', allowAttributes);
  assertKeys('denyAttributes', denyAttributes);
  // The rest is for the registry to judge.
  createRegistry().histogram(
    familyOptions(view, { name: 'any', unit: '', description: '', scope: { name: '' } }),
  );
  const name = view.instrumentName === undefined ? undefined : wildcard(view.instrumentName);
  const equal = (criterion: string | undefined, actual: string | undefined): boolean =>
    criterion === undefined || criterion === (actual ?? '');
  return {
    ...view,
    attributesProcessors: [
      ...attributesProcessors,
      ...(allowAttributes === undefined ? [] : [keyFilter(allowAttributes, true)]),
      ...(denyAttributes === undefined ? [] : [keyFilter(denyAttributes, false)]),
    ],
    matches: (instrument) =>
      (name === undefined || name.test(instrument.name)) &&
      equal(view.instrumentType, 'HISTOGRAM') &&
      equal(view.instrumentUnit, instrument.unit) &&
      equal(view.meterName, instrument.scope.name) &&
      equal(view.meterVersion, instrument.scope.version) &&
      equal(view.meterSchemaUrl, instrument.scope.schemaUrl),
  };
}

function assertKeys(name: string, keys: readonly string[] | undefined): void {
  if (keys === undefined) return;
  if (!Array.isArray(keys) || !keys.every((key) => typeof key === 'string')) {
    throw mustBe('ERR_INVALID_OPTION', name, 'a list of keys', keys);
  }
}

/** Keeps the attributes whose keys are in the list, or those whose keys are not. */
function keyFilter(keys: readonly string[], isKept: boolean): AttributesProcessor {
  const listed = new Set(keys);
  return {
    process: (attributes) =>
      Object.fromEntries(Object.entries(attributes).filter(([key]) => listed.has(key) === isKept)),
  };
}

/** The family that a view makes of an instrument. */
export function familyOptions(
  view: HdrView,
  { name, unit, description, scope }: InstrumentIdentity & { readonly description: string },
): FamilyOptions {
  const { significantDigits, resolution, aggregationCardinalityLimit: cardinalityLimit } = view;
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
    ...(cardinalityLimit !== undefined && { cardinalityLimit }),
  };
}

/** Instrument names are case-insensitive: https://opentelemetry.io/docs/specs/otel/metrics/api/#instrument-name-syntax */
function wildcard(pattern: string): RegExp {
  const escaped = pattern.replace(/[\\^$.+|()[\]{}]/g, '\\$&');
  return new RegExp(`^${escaped.replaceAll('*', '.*').replaceAll('?', '.')}$`, 'is');
}
