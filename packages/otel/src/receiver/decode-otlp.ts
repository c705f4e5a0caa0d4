import { mustBe, type OptionRules, readOptions } from '@hdrscope/core/internal';
import { Turns } from '@hdrscope/kit';
import { type Reading, systemClock } from '@hdrscope/registry';
import { canonicalText } from '@hdrscope/registry/internal';
import { decodeJson } from './decode-json.ts';
import { decodeProtobuf } from './decode-protobuf.ts';
import { bodyBudget } from './limits.ts';
import { type OtlpReceiverOptions, RECEIVER_RULES } from './options.ts';
import { readingsOf } from './readings.ts';
import type { ReceivedMetric } from './received.ts';
import { type PointRefusals, RefusalNotes } from './refusals.ts';

/** How a request of OTLP is written. */
export type OtlpEncoding = 'json' | 'protobuf';

/** A point of a histogram, as the receiver would add it to a registry. */
export interface OtlpPoint {
  /** What `ingest` takes. */
  readonly reading: Reading;
  /** The process that counted: all attributes of its resource, as one text. */
  readonly sender: string;
  /** When the counts of the point began, in milliseconds since 1970; `undefined` when the point does not say it. */
  readonly startMs: number | undefined;
  /** The time of the point, in milliseconds since 1970; `undefined` when the point does not say it. */
  readonly timeMs: number | undefined;
}

/** The histograms of a request. */
export interface OtlpPoints {
  /** The points of all histograms, explicit and exponential, in the order of the request. */
  readonly points: readonly OtlpPoint[];
  /** How many points of sums, gauges and summaries are left out. */
  readonly otherPoints: number;
  /** Points of histograms that contradict themselves. */
  readonly refusals: PointRefusals;
}

/** How a request is read. */
export type DecodeOtlpOptions = Pick<
  OtlpReceiverOptions,
  'resourceAttributes' | 'familyOptions' | 'maxElements'
>;

const { resourceAttributes, familyOptions, maxElements } = RECEIVER_RULES;

const DECODE_OTLP = {
  name: 'decodeOtlp',
  rules: { resourceAttributes, familyOptions, maxElements } satisfies OptionRules<DecodeOtlpOptions>,
  call: "decodeOtlp(body, 'json', { resourceAttributes: ['service.name'] })",
};

/**
 * Decodes the histograms of an `ExportMetricsServiceRequest` that was written to a file, as the file exporter of the OpenTelemetry Collector
 * does. `otlpReceiver` is the same for requests over HTTP. Other work of the process runs between the points of a big request.
 *
 * @throws HdrscopeError `ERR_DECODE` when the bytes are no such request; `ERR_TOO_LARGE` when they have more than `maxElements`;
 *   `ERR_INVALID_OPTION` when the encoding or an option does not exist, or an option is out of range.
 * @example
 * ```ts
 * import { decodeOtlp } from '@hdrscope/otel/receiver';
 *
 * const dataPoints = [{ timeUnixNano: '2000000', count: '3', sum: 0.4, bucketCounts: ['1', '2'], explicitBounds: [0.1] }];
 * const metrics = [{ name: 'job.duration', unit: 's', histogram: { aggregationTemporality: 1, dataPoints } }];
 * const line = JSON.stringify({ resourceMetrics: [{ scopeMetrics: [{ metrics }] }] });
 * const { points } = await decodeOtlp(new TextEncoder().encode(line), 'json');
 * points.map(({ reading, timeMs }) => [reading.family.name, reading.counted.counts.total, timeMs]); //=> [['job.duration', 3, 2]]
 * ```
 */
export async function decodeOtlp(
  body: Uint8Array,
  encoding: OtlpEncoding,
  options: DecodeOtlpOptions = {},
): Promise<OtlpPoints> {
  if (encoding !== 'json' && encoding !== 'protobuf') {
    throw mustBe('ERR_INVALID_OPTION', 'encoding', "'json' or 'protobuf'", encoding);
  }
  const given = readOptions(options, DECODE_OTLP);
  const settings = { ...given, clock: systemClock, numbers: undefined };
  const budget = bodyBudget(given.maxElements);
  const metrics = await new Turns().take(() =>
    encoding === 'protobuf'
      ? decodeProtobuf(body, budget)
      : decodeJson(new TextDecoder().decode(body), budget),
  );
  const notes = new RefusalNotes();
  const points: OtlpPoint[] = [];
  let otherPoints = 0;
  await new Turns().take(function* () {
    for (const ofSender of bySender(metrics)) {
      const sender = canonicalText(ofSender[0]!.resource);
      const readings = readingsOf(ofSender, settings, (name, { reason, message }, count = 1) => {
        if (reason === 'notHistogram') otherPoints += count;
        else notes.add(name, message, count);
      });
      for (const reading of readings) {
        if (reading !== undefined) points.push({ reading, sender, ...timesOf(reading) });
        yield;
      }
    }
  });
  return { points, otherPoints, refusals: notes.refusals() };
}

/** Neighbouring metrics of one resource. */
function bySender(metrics: readonly ReceivedMetric[]): ReceivedMetric[][] {
  const groups: ReceivedMetric[][] = [];
  for (const metric of metrics) {
    const last = groups.at(-1);
    if (last !== undefined && last[0]!.resource === metric.resource) last.push(metric);
    else groups.push([metric]);
  }
  return groups;
}

const TIME_BITS = 64;

/** The sequence of a reading has its time in nanoseconds, in its lower 64 bits. */
function timesOf({ counter }: Reading): Pick<OtlpPoint, 'startMs' | 'timeMs'> {
  const { sequence, startTimeMs } = counter ?? {};
  return {
    startMs: startTimeMs,
    timeMs: sequence === undefined ? undefined : Number(BigInt.asUintN(TIME_BITS, sequence) / 1_000_000n),
  };
}
