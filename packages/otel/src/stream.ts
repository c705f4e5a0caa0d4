import type { Family } from '@hdrscope/registry';
import type { AttributesProcessor } from './sdk.ts';

/** How a family is shown to readers. */
export interface StreamSettings {
  readonly valueType: number;
  readonly maxSize: number;
  /** `undefined`: what the digits justify. */
  readonly maxScale: number | undefined;
  readonly boundaries: readonly number[];
}

/** A view applied to an instrument: where its values go. */
export interface Stream {
  readonly family: Family;
  readonly attributesProcessors: readonly AttributesProcessor[];
}

/** OpenTelemetry's limit on the buckets of an exponential histogram. */
const DEFAULT_MAX_SIZE = 160;

// https://opentelemetry.io/docs/specs/otel/metrics/sdk/#explicit-bucket-histogram-aggregation
const DEFAULT_BOUNDARIES = [0, 5, 10, 25, 50, 75, 100, 250, 500, 750, 1000, 2500, 5000, 7500, 10000];

// https://opentelemetry.io/docs/specs/semconv/http/http-metrics/ advises these for durations; the defaults above suit
// milliseconds, and would put all seconds into one bucket.
const SECONDS_BOUNDARIES = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

/** Settings with the defaults filled in. */
export function streamSettings(
  unit: string,
  given: {
    readonly valueType?: number | undefined;
    readonly maxSize?: number | undefined;
    readonly maxScale?: number | undefined;
    readonly boundaries?: readonly number[] | undefined;
  } = {},
): StreamSettings {
  return {
    valueType: given.valueType ?? DOUBLE,
    maxSize: given.maxSize ?? DEFAULT_MAX_SIZE,
    maxScale: given.maxScale,
    boundaries: given.boundaries ?? (unit === 's' ? SECONDS_BOUNDARIES : DEFAULT_BOUNDARIES),
  };
}

/** `ValueType.DOUBLE`. */
const DOUBLE = 1;
