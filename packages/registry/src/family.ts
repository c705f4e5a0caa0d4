import { explicitLayout, type HdrLayout, HdrscopeError, hdrLayout, type Layout } from '@hdrscope/core';
import { mustBe, type Resolution, resolutionOf, scaledLayout } from '@hdrscope/core/internal';
import { nanosecondsPer } from '@hdrscope/kit';
import { AttributeIndex } from './attribute-index.ts';
import { type Attributes, canonicalText, frozenCopy } from './attributes.ts';
import type { Clock } from './clock.ts';
import { Series, type SeriesSetup, type SeriesSnapshot } from './series.ts';

/** Who made a family: an OpenTelemetry instrumentation scope. */
export interface Scope {
  readonly name: string;
  readonly version?: string;
  readonly schemaUrl?: string;
}

/** What a family of series is. */
export interface FamilyOptions {
  /** Not empty; unique within the scope. */
  readonly name: string;
  /** A UCUM unit such as `s`, `By` or `1`. @default '' */
  readonly unit?: string;
  /** @default '' */
  readonly description?: string;
  /** The step between two values that are told apart, in the unit. Above 0. @default see `defaultResolution` */
  readonly resolution?: number;
  /** Decimal digits to which a value keeps its precision: an integer from 0 to 5. @default 2 */
  readonly significantDigits?: number;
  /** How many series there may be; what comes after goes to the overflow series. At least 1. @default 2000 */
  readonly cardinalityLimit?: number;
  /** @default none */
  readonly scope?: Scope;
  /**
   * Ascending boundaries in the unit that suit what is counted, each in the bucket below it. Formats with explicit buckets
   * take them where nothing else is asked for. Advice: it does not tell families apart. @default none
   */
  readonly boundaries?: readonly number[];
}

/** A family at one moment. Immutable. */
export interface FamilySnapshot {
  readonly name: string;
  readonly unit: string;
  readonly description: string;
  readonly scope: Scope | undefined;
  /** What a tick of the histograms is, in the unit. */
  readonly resolution: Resolution;
  /** The layout that all its histograms share, in ticks. */
  readonly layout: HdrLayout;
  /** The same layout in the unit. */
  readonly unitLayout: Layout;
  /** Those that suit explicit buckets, where the family was given some. */
  readonly boundaries: readonly number[] | undefined;
  readonly series: readonly SeriesSnapshot[];
}

/** The attributes of the series that takes what exceeds the cardinality limit. */
export const OVERFLOW_ATTRIBUTES: Attributes = /* @__PURE__ */ Object.freeze({
  'otel.metric.overflow': true,
});
const OVERFLOW_TEXT = /* @__PURE__ */ canonicalText(OVERFLOW_ATTRIBUTES);

// Memory is what a series costs. Two digits need a fifth of three, and tell 100 ms from 101 ms.
const DEFAULT_DIGITS = 2;
const DEFAULT_CARDINALITY_LIMIT = 2000;

// Enough for every series to be found by a few attributes in a few orders.
const INDEX_NODES_PER_SERIES = 16;

/** One instrument's distributions, told apart by attributes. Made by `Registry.histogram`. */
export class Family {
  readonly name: string;
  readonly unit: string;
  readonly description: string;
  readonly scope: Scope | undefined;
  readonly cardinalityLimit: number;
  readonly layout: HdrLayout;
  readonly unitLayout: Layout;
  readonly resolution: Resolution;
  readonly boundaries: readonly number[] | undefined;
  readonly #setup: SeriesSetup;
  readonly #index: AttributeIndex<Series>;
  /** By canonical text; at most `cardinalityLimit`. */
  readonly #series = new Map<string, Series>();
  #overflow: Series | undefined;

  constructor(options: FamilyOptions, clock: Clock) {
    const {
      name,
      unit = '',
      description = '',
      cardinalityLimit = DEFAULT_CARDINALITY_LIMIT,
      scope,
      boundaries,
    } = options;
    const { resolution = defaultResolution(unit), significantDigits = DEFAULT_DIGITS } = options;
    if (typeof name !== 'string' || name === '')
      throw mustBe('ERR_INVALID_OPTION', 'name', 'a text, not empty', name);
    if (!(resolution > 0 && Number.isFinite(resolution))) {
      throw mustBe('ERR_INVALID_OPTION', 'resolution', 'a finite number above 0', resolution);
    }
    if (!Number.isSafeInteger(cardinalityLimit) || cardinalityLimit < 1) {
      throw mustBe('ERR_INVALID_OPTION', 'cardinalityLimit', 'an integer of at least 1', cardinalityLimit);
    }
    this.name = name;
    this.unit = unit;
    this.description = description;
    this.scope = scope && Object.freeze({ ...scope });
    this.cardinalityLimit = cardinalityLimit;
    this.boundaries = boundaries && Object.freeze([...explicitLayout(boundaries).edges]);
    this.resolution = resolutionOf(resolution);
    const { layout, unitLayout } = sharedLayouts(significantDigits, this.resolution);
    this.layout = layout;
    this.unitLayout = unitLayout;
    const nsPerUnit = nanosecondsPer(unit);
    this.#setup = { layout, unitLayout, resolution: this.resolution, nsPerUnit, clock };
    this.#index = new AttributeIndex(cardinalityLimit * INDEX_NODES_PER_SERIES);
  }

  /** The series with these attributes, made if need be. Keep it where you can: then a record looks nothing up. */
  with(attributes: Attributes): Series {
    return this.#index.find(attributes) ?? this.#resolve(attributes);
  }

  snapshot(): FamilySnapshot {
    const series = [...this.#series.values()];
    if (this.#overflow !== undefined) series.push(this.#overflow);
    return Object.freeze({
      name: this.name,
      unit: this.unit,
      description: this.description,
      scope: this.scope,
      resolution: this.resolution,
      layout: this.layout,
      unitLayout: this.unitLayout,
      boundaries: this.boundaries,
      series: Object.freeze(series.map((one) => one.snapshot())),
    });
  }

  #resolve(attributes: Attributes): Series {
    const text = canonicalText(attributes);
    let series = this.#series.get(text);
    if (series === undefined) {
      if (this.#series.size >= this.cardinalityLimit || text === OVERFLOW_TEXT) {
        this.#overflow ??= new Series(OVERFLOW_ATTRIBUTES, this.#setup);
        return this.#overflow;
      }
      series = new Series(frozenCopy(attributes), this.#setup);
      this.#series.set(text, series);
    }
    this.#index.learn(attributes, series);
    return series;
  }
}

/**
 * The step that suits a unit: a nanosecond for units of time, one for what is counted whole (bytes, `{requests}`),
 * a millionth for the ratios of unit `1`, and a thousandth where the unit tells nothing.
 */
export function defaultResolution(unit: string): number {
  const ns = nanosecondsPer(unit);
  if (ns !== undefined) return 1 / ns;
  if (COUNTED_WHOLE.test(unit)) return 1;
  return unit === '1' ? 1e-6 : 1e-3;
}

// Bytes, bits, and UCUM annotations such as {request}.
const COUNTED_WHOLE = /^(By|bit|\{.*\})$/;

interface Layouts {
  readonly layout: HdrLayout;
  readonly unitLayout: Layout;
}

const layoutsInUse = new Map<string, Layouts>();

/** Families of equal shape share their layouts, so that what is computed for a layout is computed once for all. */
function sharedLayouts(significantDigits: number, resolution: Resolution): Layouts {
  const key = `${significantDigits} ${resolution.ticksPerUnit} ${resolution.unitsPerTick}`;
  let layouts = layoutsInUse.get(key);
  if (layouts === undefined) {
    const layout = hdrLayout({ highestTrackableValue: Number.MAX_SAFE_INTEGER, significantDigits });
    layouts = { layout, unitLayout: scaledLayout(layout, resolution) };
    layoutsInUse.set(key, layouts);
  }
  return layouts;
}

/** Names what is different between a family and the options of a second registration, if anything is. */
export function differenceFrom(family: Family, options: FamilyOptions, clock: Clock): string | undefined {
  const other = new Family(options, clock);
  const facts = (one: Family): Record<string, unknown> => ({
    unit: one.unit,
    resolution: one.resolution.unitsPerTick / one.resolution.ticksPerUnit,
    significantDigits: one.layout.significantDigits,
    cardinalityLimit: one.cardinalityLimit,
  });
  const [ours, theirs] = [facts(family), facts(other)];
  const differing = Object.keys(ours).find((fact) => ours[fact] !== theirs[fact]);
  return (
    differing && `${differing} ${JSON.stringify(ours[differing])}, got ${JSON.stringify(theirs[differing])}`
  );
}

/** Makes sure that an error about a family names it. */
export function alreadyRegistered(name: string, difference: string): HdrscopeError {
  return new HdrscopeError('ERR_ALREADY_REGISTERED', `the family "${name}" is registered with ${difference}`);
}
