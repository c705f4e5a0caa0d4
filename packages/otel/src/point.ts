import { splitMs } from '@hdrscope/kit';
import type { SeriesSnapshot } from '@hdrscope/registry';
import type { CurrentState } from '@hdrscope/registry/internal';
import type { HrTime } from '@opentelemetry/api';
import type { MetricSettings } from './metric-settings.ts';
import type { HistogramValue, Point } from './sdk.ts';

/** Makes a point of a series; `undefined` for a series that only rejected values, and so has counted none. */
export function pointOf<Value extends HistogramValue>(
  { startTimeMs, attributes, exemplars }: CurrentState,
  value: Value,
  endTime: HrTime,
): Point<Value> | undefined {
  return value.count === 0
    ? undefined
    : pointFrom(hrTime(startTimeMs), endTime, attributes, value, exemplars);
}

/** A value as the settings of its metric show it. */
export function shownValue<Value extends HistogramValue>(value: Value, { hasMinMax }: MetricSettings): Value {
  if (hasMinMax) return value;
  const { min: _, max: __, ...rest } = value;
  return rest as Value;
}

/** Makes a point of its parts. */
export function pointFrom<Value extends HistogramValue>(
  startTime: HrTime,
  endTime: HrTime,
  attributes: SeriesSnapshot['attributes'],
  value: Value,
  exemplars: SeriesSnapshot['exemplars'],
): Point<Value> {
  // The attributes of a series are frozen, so readers may share them.
  const point = { startTime, endTime, attributes: attributes as Point<Value>['attributes'], value };
  return exemplars.length === 0 ? point : { ...point, exemplars };
}

// Many series begin in the same millisecond, and a time takes more memory than a point.
let lastMs = Number.NaN;
let lastTime: HrTime = [0, 0];

/** A time as OpenTelemetry has it. Readers share it. */
export function hrTime(unixMs: number): HrTime {
  if (unixMs !== lastMs) {
    lastMs = unixMs;
    lastTime = splitMs(unixMs);
  }
  return lastTime;
}
