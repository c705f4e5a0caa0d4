import { hrTime } from '../point.ts';
import { PointType, type ScopeMetrics, Temporality } from '../sdk.ts';
import type { NumberMetric } from './encoding.ts';

/** A metric of numbers, such as a counter of the program itself. */
export interface OtlpNumber {
  /** Name of the metric, such as `hdrscope.agent.errors`. */
  readonly name: string;
  /** A counter only grows. */
  readonly kind: 'counter' | 'gauge';
  /** UCUM code of the values, such as `By` or `{reading}`; `''` when they have no unit. */
  readonly unit: string;
  /** For people: one sentence about the values. */
  readonly description: string;
  /** One value for each set of attributes. */
  readonly points: readonly {
    readonly attributes: Readonly<Record<string, string>>;
    /** The whole count for a counter, also in deltas: the sender subtracts. */
    readonly value: number;
  }[];
}

/** The numbers that are sent beside the histograms. */
export interface OtlpNumbers {
  /** The name of their scope. */
  readonly scope: string;
  /** Reads them, for each request. */
  read(): readonly OtlpNumber[];
}

/** The counters of a request. */
export interface NumberBase {
  readonly timeMs: number;
  /** By name and attributes. */
  readonly counts: ReadonlyMap<string, number>;
}

/** The metrics of numbers, and the counters as they are now. */
export function numberMetrics(
  numbers: OtlpNumbers,
  temporality: number,
  timeMs: number,
  before: NumberBase,
): { scope: ScopeMetrics; now: NumberBase } {
  const counts = new Map<string, number>();
  const endTime = hrTime(timeMs);
  const startTime = hrTime(before.timeMs);
  const isDelta = temporality === Temporality.DELTA;
  const metrics = numbers.read().map(
    ({ name, kind, unit, description, points }): NumberMetric => ({
      descriptor: { name, unit, description },
      aggregationTemporality: temporality,
      dataPointType: kind === 'counter' ? PointType.SUM : PointType.GAUGE,
      isMonotonic: kind === 'counter',
      dataPoints: points.map(({ attributes, value }) => {
        const key = JSON.stringify([name, attributes]);
        if (kind === 'counter') counts.set(key, value);
        const earlier = kind === 'counter' && isDelta ? (before.counts.get(key) ?? 0) : 0;
        // A counter that fell has begun again.
        return { startTime, endTime, attributes, value: value < earlier ? value : value - earlier };
      }),
    }),
  );
  return { scope: { scope: { name: numbers.scope }, metrics }, now: { timeMs, counts } };
}
