import type { BucketRun } from '@hdrscope/core/internal';
import type { Attributes, FamilyOptions } from '@hdrscope/registry';

/**
 * A metric of a request, in either encoding. Only its form is checked: lengths and sums may contradict each other, and a
 * count above 2^53 - 1 is a number that is not a safe integer.
 * Source: https://github.com/open-telemetry/opentelemetry-proto/blob/v1.9.0/opentelemetry/proto/metrics/v1/metrics.proto
 */
export interface ReceivedMetric extends MetricIdentity {
  /** All attributes of the resource. */
  readonly resource: Attributes;
  readonly data: ReceivedData;
}

/** The properties of a metric that its family takes. */
export interface MetricIdentity {
  /** The library that made the instrument. */
  readonly scope: ReceivedScope;
  /** Name of the instrument. */
  readonly name: string;
  /** UCUM code of the values, such as `s` or `By`; `''` where the sender states no unit. */
  readonly unit: string;
  /** For people; `''` where the sender states no description. */
  readonly description: string;
}

/** Options that replace those that the receiver chooses for a family. */
export type ReceivedFamilyOptions = Pick<
  FamilyOptions,
  'resolution' | 'significantDigits' | 'cardinalityLimit' | 'boundaries' | 'expireAfterMs'
>;

/** The library that made an instrument. Its fields are empty when they are unknown. */
export interface ReceivedScope {
  /** Name of the library, such as `@opentelemetry/instrumentation-http`. */
  readonly name: string;
  /** Version of the library. */
  readonly version: string;
}

/** The points of a metric. */
export type ReceivedData =
  | {
      readonly kind: 'explicit';
      readonly temporality: Temporality;
      readonly points: readonly ExplicitPoint[];
    }
  | {
      readonly kind: 'exponential';
      readonly temporality: Temporality;
      readonly points: readonly ExponentialPoint[];
    }
  | {
      readonly kind: 'number';
      /** A gauge has no temporality, and is not monotonic. */
      readonly isSum: boolean;
      readonly isMonotonic: boolean;
      readonly temporality: Temporality;
      readonly points: readonly NumberPoint[];
    }
  | { readonly kind: 'other'; readonly pointCount: number };

/** `undefined` when the request does not name it. */
export type Temporality = 'delta' | 'cumulative' | undefined;

/** The fields that all points share. */
export interface TimedPoint {
  readonly attributes: Attributes;
  /** Nanoseconds since 1970, or 0 when unknown. */
  readonly startNs: bigint;
  readonly timeNs: bigint;
  /** Whether the point reports only that nothing was recorded. */
  readonly isEmpty: boolean;
}

/** A point of a sum or a gauge. */
export interface NumberPoint extends TimedPoint {
  /** `undefined` when the point has none. An integer beyond 2^53 is the nearest number. */
  readonly value: number | undefined;
}

/** The fields that both kinds of histograms share. */
export interface ReceivedPoint extends TimedPoint {
  readonly count: number;
  readonly sum: number | undefined;
  readonly min: number | undefined;
  readonly max: number | undefined;
  readonly exemplars: readonly ReceivedExemplar[];
}

/** An exemplar of a point. Its attributes have the link to its span, too. */
export interface ReceivedExemplar {
  /** NaN when the sender leaves it out. */
  readonly value: number;
  /** Nanoseconds since 1970, or 0 when unknown. */
  readonly timeNs: bigint;
  readonly attributes: Attributes;
}

/** A point of a histogram with explicit buckets. Each bucket includes its upper bound. */
export interface ExplicitPoint extends ReceivedPoint {
  readonly bounds: readonly number[];
  readonly counts: readonly number[];
}

/** A point of an exponential histogram. */
export interface ExponentialPoint extends ReceivedPoint {
  readonly scale: number;
  readonly zeroCount: number;
  /** Values from `-zeroThreshold` to `zeroThreshold` are in the zero count. */
  readonly zeroThreshold: number;
  readonly positive: BucketRun;
  readonly negative: BucketRun;
}

/** The temporality that a number on the wire stands for. */
export function temporalityOf(number: number): Temporality {
  if (number === 1) return 'delta';
  return number === 2 ? 'cumulative' : undefined;
}

/** Whether the flags of a point contain "no recorded value". */
export function isNoRecordedValue(flags: number): boolean {
  return (flags & 1) !== 0;
}

export const NO_ATTRIBUTES: Attributes = /* @__PURE__ */ Object.freeze({});

export const NO_BUCKETS: BucketRun = /* @__PURE__ */ Object.freeze({
  offset: 0,
  counts: Object.freeze([]) as readonly number[],
});

export const NO_EXEMPLARS: readonly ReceivedExemplar[] = /* @__PURE__ */ Object.freeze([]);
