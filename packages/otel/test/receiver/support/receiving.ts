import { readOptions } from '@hdrscope/core/internal';
import { withPendingBytes } from '@hdrscope/kit/server';
import { createRegistry, type Registry, type SeriesSnapshot, type Snapshot } from '@hdrscope/registry';
import { decodeJson } from '../../../src/receiver/decode-json.ts';
import { decodeProtobuf } from '../../../src/receiver/decode-protobuf.ts';
import { OtlpIntake, type OtlpIntakeHealth } from '../../../src/receiver/intake.ts';
import { bodyBudget } from '../../../src/receiver/limits.ts';
import { type OtlpReceiverOptions, RECEIVER_RULES } from '../../../src/receiver/options.ts';
import type { ReceivedMetric } from '../../../src/receiver/received.ts';
import type { PointRefusals } from '../../../src/receiver/refusals.ts';
import {
  type ExplicitJson,
  type ExponentialJson,
  type MetricJson,
  requestBytes,
  requestJson,
} from './request.ts';

export const DELTA = 1;
export const CUMULATIVE = 2;

/** What a work returns that pauses. */
function withoutPauses<Result>(work: Generator<void, Result, void>): Result {
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
  }
}

const MANY = 1_000_000;

export function decodedProtobuf(bytes: Uint8Array, maxElements: number = MANY): ReceivedMetric[] {
  return withoutPauses(decodeProtobuf(bytes, bodyBudget(maxElements)));
}

export function decodedJson(text: string, maxElements: number = MANY): ReceivedMetric[] {
  return withoutPauses(decodeJson(text, bodyBudget(maxElements)));
}

/** A registry that receives requests. */
export class Receiving {
  readonly registry: Registry = createRegistry();
  readonly intake: OtlpIntake;

  constructor(options: OtlpReceiverOptions = {}) {
    const settings = readOptions(options, { name: 'Receiving', rules: RECEIVER_RULES });
    this.intake = new OtlpIntake(this.registry, withPendingBytes(settings));
  }

  metrics(
    metrics: readonly MetricJson[],
    resource?: Readonly<Record<string, string | number>>,
  ): PointRefusals {
    return this.take(decodedProtobuf(requestBytes(requestJson(metrics, resource))));
  }

  /** Takes a request without pauses. */
  take(metrics: readonly ReceivedMetric[]): PointRefusals {
    return withoutPauses(this.intake.take(metrics));
  }

  explicit(aggregationTemporality: number, ...dataPoints: ExplicitJson[]): PointRefusals {
    return this.metrics([{ name: 'm', unit: 's', histogram: { aggregationTemporality, dataPoints } }]);
  }

  exponential(aggregationTemporality: number, ...dataPoints: ExponentialJson[]): PointRefusals {
    return this.metrics([
      { name: 'm', unit: 's', exponentialHistogram: { aggregationTemporality, dataPoints } },
    ]);
  }

  get health(): OtlpIntakeHealth {
    return this.intake.health;
  }

  snapshot(): Promise<Snapshot> {
    return this.registry.gather();
  }

  /** The series of all families. */
  async series(): Promise<SeriesSnapshot[]> {
    return (await this.snapshot()).families.flatMap(({ series }) => series);
  }

  /** The total count of the only series, or 0 when there is no series. */
  async total(): Promise<number> {
    const series = await this.series();
    return series[0]?.histogram.totalCount ?? 0;
  }
}

/** A point with explicit buckets whose count is that of its buckets. */
export function explicitPoint(
  bucketCounts: readonly number[],
  point: Omit<ExplicitJson, 'bucketCounts'> = {},
): ExplicitJson {
  const count = bucketCounts.reduce((left, right) => left + right, 0);
  return { explicitBounds: [0.1, 0.5, 2], timeUnixNano: '1', count, bucketCounts, ...point };
}

/** An exponential point whose count is that of its buckets. */
export function exponentialPoint(
  scale: number,
  offset: number,
  bucketCounts: readonly number[],
  point: ExponentialJson = {},
): ExponentialJson {
  const counts = [
    Number(point.zeroCount ?? 0),
    ...bucketCounts,
    ...(point.negative?.bucketCounts ?? []).map(Number),
  ];
  const count = counts.reduce((left, right) => left + right, 0);
  return { timeUnixNano: '1', scale, positive: { offset, bucketCounts }, count, ...point };
}
