import type { FamilySnapshot, Registry } from '@hdrscope/registry';

/** The kind of histogram that a reader collects. */
export type HistogramFormat = 'exponential' | 'explicit';

/** How readers see the metric of a family. */
export interface MetricSettings {
  readonly valueType: number;
  /** What the instrument advises. */
  readonly advice: object;
  /** The most buckets of an exponential histogram. */
  readonly maxSize: number;
  /** The finest scale of an exponential histogram; `undefined` for the scale that the digits justify. */
  readonly maxScale: number | undefined;
  /** Boundaries of an explicit histogram. */
  readonly boundaries: readonly number[];
  /** The kind of histogram for readers that do not insist on another one; `undefined` leaves it to the reader. */
  readonly format: HistogramFormat | undefined;
  /** Whether points show the minimum and the maximum. */
  readonly hasMinMax: boolean;
}

/** OpenTelemetry's limit on the buckets of an exponential histogram. */
const DEFAULT_MAX_SIZE = 160;

// https://opentelemetry.io/docs/specs/otel/metrics/sdk/#explicit-bucket-histogram-aggregation
const DEFAULT_BOUNDARIES = [0, 5, 10, 25, 50, 75, 100, 250, 500, 750, 1000, 2500, 5000, 7500, 10000];

// https://opentelemetry.io/docs/specs/semconv/http/http-metrics/ advises these for durations. The defaults above suit
// milliseconds, and would put most durations in seconds into one bucket.
const SECONDS_BOUNDARIES = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

/** `ValueType.DOUBLE`. */
const DOUBLE = 1;

const NO_ADVICE = /* @__PURE__ */ Object.freeze({});

/** Fills in the settings that are not given. */
export function metricSettings(
  unit: string,
  given: {
    readonly valueType?: number | undefined;
    readonly advice?: object | undefined;
    readonly maxSize?: number | undefined;
    readonly maxScale?: number | undefined;
    readonly boundaries?: readonly number[] | undefined;
    readonly format?: HistogramFormat | undefined;
    readonly hasMinMax?: boolean | undefined;
  } = {},
): MetricSettings {
  return {
    valueType: given.valueType ?? DOUBLE,
    advice: given.advice ?? NO_ADVICE,
    maxSize: given.maxSize ?? DEFAULT_MAX_SIZE,
    maxScale: given.maxScale,
    boundaries: given.boundaries ?? (unit === 's' ? SECONDS_BOUNDARIES : DEFAULT_BOUNDARIES),
    format: given.format,
    hasMinMax: given.hasMinMax ?? true,
  };
}

const KNOWN = /* @__PURE__ */ new WeakMap<Registry, Map<string, MetricSettings>>();

/** The settings of the families of a registry that instruments have made, by `familyKey`. */
export function knownSettings(registry: Registry): Map<string, MetricSettings> {
  const known = KNOWN.get(registry) ?? new Map<string, MetricSettings>();
  KNOWN.set(registry, known);
  return known;
}

/** The settings of a family: those of its views, else the defaults. */
export function settingsOfFamily(
  known: ReadonlyMap<string, MetricSettings>,
  family: Pick<FamilySnapshot, 'name' | 'scope' | 'unit' | 'boundaries'>,
): MetricSettings {
  return known.get(familyKey(family)) ?? metricSettings(family.unit, { boundaries: family.boundaries });
}

/** A text that identifies a family among those of a registry. */
export function familyKey({ name, scope }: Pick<FamilySnapshot, 'name' | 'scope'>): string {
  return JSON.stringify([scope, name]);
}
