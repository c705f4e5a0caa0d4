import type { IncomingMessage, ServerResponse } from 'node:http';
import { HdrscopeError } from '@hdrscope/core';
import { assertOptions, type OptionsOwner } from '@hdrscope/core/internal';
import type { IngestMemory, Registry } from '@hdrscope/registry';
import { answerFailure, answerSuccess, CONTENT_TYPES, type Encoding } from './answer.ts';
import { readBody } from './body.ts';
import { decodeJson } from './decode-json.ts';
import { decodeProtobuf } from './decode-protobuf.ts';
import { HttpRefusal } from './http-refusal.ts';
import { OtlpIntake, type OtlpIntakeHealth } from './intake.ts';
import { type OtlpReceiverOptions, RECEIVER_NAMES, withDefaults } from './options.ts';
import type { ReceivedMetric } from './received.ts';

/** Counters of a receiver since it was made. */
export interface OtlpReceiverHealth extends OtlpIntakeHealth {
  /** Requests that were accepted. */
  readonly requests: number;
  /** Requests that were answered with an error. */
  readonly failedRequests: number;
}

/** Receives the metrics that OpenTelemetry SDKs and Collectors export by OTLP over HTTP. */
export interface OtlpReceiver {
  /** Answers a request. For `http.createServer` and the routes of frameworks. Never throws and never rejects. */
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** The receiver's counters at this moment. */
  readonly health: OtlpReceiverHealth;
  /** The last points of all streams. An option of a receiver that replaces this one. */
  readonly memory: IngestMemory;
}

const PATH = '/v1/metrics';

const OTLP_RECEIVER: OptionsOwner<OtlpReceiverOptions> = {
  name: 'otlpReceiver',
  names: RECEIVER_NAMES,
  call: "otlpReceiver(registry, { resourceAttributes: ['service.name'] })",
};

/**
 * Makes a receiver of OTLP over HTTP that adds histograms to a registry: explicit and exponential, cumulative and delta,
 * in protobuf and in JSON, plain and gzipped. It adds buckets as counts, never as single values. Scope, name and unit
 * identify a family; the point's attributes and the identifying resource attributes identify a series.
 *
 * A point of a cumulative stream adds its increase since the previous point, or all of its counts after a restart. A point
 * of a delta stream is added once. The receiver refuses gauges, sums, summaries and points that contradict themselves: none
 * of their values count, and the answer is 200 with the number of refused points and the reasons, as
 * [OTLP requires](https://opentelemetry.io/docs/specs/otlp/#partial-success-1).
 *
 * A bucket counts, whole, at its middle, after the minimum and the maximum of the stream have narrowed it. Values below 0
 * count as `rejected` in their series.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option does not exist or is out of range.
 * @example
 * ```ts
 * import { createServer } from 'node:http';
 * import { otlpReceiver } from '@hdrscope/otel/receiver';
 * import { createRegistry } from '@hdrscope/registry';
 *
 * const registry = createRegistry();
 * const receiver = otlpReceiver(registry);
 * const server = createServer((request, response) => receiver.handle(request, response)).listen(0, '127.0.0.1');
 * await new Promise((resolve) => server.once('listening', resolve));
 * const { port } = server.address() as { port: number };
 *
 * const dataPoints = [{ timeUnixNano: '1', count: '3', sum: 0.4, bucketCounts: ['1', '2'], explicitBounds: [0.1] }];
 * const metrics = [{ name: 'job.duration', unit: 's', histogram: { aggregationTemporality: 1, dataPoints } }];
 * const response = await fetch(`http://127.0.0.1:${port}/v1/metrics`, {
 *   method: 'POST',
 *   headers: { 'content-type': 'application/json' },
 *   body: JSON.stringify({ resourceMetrics: [{ scopeMetrics: [{ metrics }] }] }),
 * });
 * await response.json(); //=> {}
 *
 * const [family] = (await registry.gather()).families;
 * [family!.name, family!.unit, family!.boundaries]; //=> ['job.duration', 's', [0.1]]
 * [family!.series[0]!.histogram.totalCount, family!.series[0]!.sum]; //=> [3, 0.4]
 * receiver.health.points; //=> 1
 * server.close();
 * ```
 */
export function otlpReceiver(registry: Registry, options: OtlpReceiverOptions = {}): OtlpReceiver {
  assertOptions(options, OTLP_RECEIVER);
  const { maxBytes, ...settings } = withDefaults(options);
  const { observer } = settings;
  const intake = new OtlpIntake(registry, settings);
  let requests = 0;
  let failedRequests = 0;

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const encoding = encodingOf(request.headers['content-type']);
    try {
      assertRoute(request, response);
      if (encoding === undefined) throw new HttpRefusal(415, `content-type must be ${TYPES_TEXT}`);
      const metrics = decoded(await readBody(request, maxBytes), encoding);
      const refusals = intake.take(metrics);
      requests++;
      answerSuccess(response, encoding, refusals);
      observer?.succeeded?.();
    } catch (error) {
      failedRequests++;
      observer?.failed?.(error);
      const status = error instanceof HttpRefusal ? error.status : 500;
      // The client has gone, or has its answer.
      if (response.destroyed || response.headersSent) return;
      answerFailure(response, encoding ?? 'json', status, messageOf(error));
    }
  };
  return {
    handle,
    get health() {
      return Object.freeze({ requests, failedRequests, ...intake.health });
    },
    memory: intake.memory,
  };
}

const TYPES_TEXT = Object.values(CONTENT_TYPES).join(' or ');

function encodingOf(contentType = ''): Encoding | undefined {
  const [type = ''] = contentType.split(';');
  const asked = type.trim().toLowerCase();
  if (asked === CONTENT_TYPES.protobuf) return 'protobuf';
  return asked === CONTENT_TYPES.json ? 'json' : undefined;
}

/** @throws HttpRefusal 404 or 405. */
function assertRoute({ url = '', method }: IncomingMessage, response: ServerResponse): void {
  const [path] = url.split('?');
  if (path !== PATH) throw new HttpRefusal(404, `metrics are accepted at ${PATH} only`);
  if (method === 'POST') return;
  response.setHeader('allow', 'POST');
  throw new HttpRefusal(405, `metrics are accepted by POST only, got ${method}`);
}

/** @throws HttpRefusal 400 when the body is not a request. */
function decoded(body: Uint8Array, encoding: Encoding): ReceivedMetric[] {
  try {
    return encoding === 'protobuf' ? decodeProtobuf(body) : decodeJson(new TextDecoder().decode(body));
  } catch (error) {
    if (error instanceof HdrscopeError && error.code === 'ERR_DECODE')
      throw new HttpRefusal(400, error.message);
    throw error;
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
