import type { IncomingMessage, ServerResponse } from 'node:http';
import { HdrscopeError } from '@hdrscope/core';
import type { Registry } from '@hdrscope/registry';
import { answerRefused, answerTaken, CONTENT_TYPES, type Encoding } from './answer.ts';
import { readBody } from './body.ts';
import { decodeJson } from './decode-json.ts';
import { decodeProtobuf } from './decode-protobuf.ts';
import type { OtlpReceiverHealth } from './health.ts';
import { IntoRegistry } from './into-registry.ts';
import { type OtlpReceiverOptions, withDefaults } from './options.ts';
import type { ReceivedMetric } from './received.ts';
import { Refused } from './refused.ts';

/** Takes the metrics that OpenTelemetry SDKs and Collectors export by OTLP over HTTP. */
export interface OtlpReceiver {
  /** Answers a request, for `http.createServer` and the routes of frameworks. Never throws, and never rejects. */
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>;
  readonly health: OtlpReceiverHealth;
}

const PATH = '/v1/metrics';

/**
 * Makes a receiver of OTLP over HTTP that adds histograms to a registry: explicit and exponential ones, cumulative and
 * delta, in protobuf and in JSON, plain and gzipped. Buckets are added as counts, never as single values. A family is
 * known by scope, name and unit, a series by the attributes of the point and those of the resource that identify it.
 *
 * Of a cumulative stream the increase since its point before is added, or all of it where it has begun anew; of a delta
 * stream each point, once. Gauges, sums and summaries are refused, and so is a point that contradicts itself: the answer
 * is 200 then, and tells how many points were refused and why, as
 * [OTLP has it](https://opentelemetry.io/docs/specs/otlp/#partial-success-1). Nothing of such a point is counted.
 *
 * A bucket counts, whole, at its middle, once the minimum and maximum of the stream have narrowed it. Values below 0
 * are tallied as rejected in their series.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION`
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
  const { maxBytes, ...settings } = withDefaults(options);
  const into = new IntoRegistry(registry, settings);
  const { tally } = into;

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const encoding = encodingOf(request.headers['content-type']);
    try {
      assertRoute(request, response);
      if (encoding === undefined) throw new Refused(415, `content-type must be ${TYPES_TEXT}`);
      const metrics = decoded(await readBody(request, maxBytes), encoding);
      const refusals = into.add(metrics);
      tally.requests++;
      answerTaken(response, encoding, refusals);
    } catch (error) {
      tally.failedRequests++;
      const status = error instanceof Refused ? error.status : 500;
      // Whoever is gone needs no answer.
      if (response.destroyed || response.headersSent) return;
      answerRefused(response, encoding ?? 'json', status, messageOf(error));
    }
  };
  return {
    handle,
    get health() {
      return tally.health(into.streams.size);
    },
  };
}

const TYPES_TEXT = Object.values(CONTENT_TYPES).join(' or ');

function encodingOf(contentType = ''): Encoding | undefined {
  const [type = ''] = contentType.split(';');
  const asked = type.trim().toLowerCase();
  if (asked === CONTENT_TYPES.protobuf) return 'protobuf';
  return asked === CONTENT_TYPES.json ? 'json' : undefined;
}

/** @throws Refused */
function assertRoute({ url = '', method }: IncomingMessage, response: ServerResponse): void {
  const [path] = url.split('?');
  if (path !== PATH) throw new Refused(404, `metrics are taken at ${PATH}`);
  if (method === 'POST') return;
  response.setHeader('allow', 'POST');
  throw new Refused(405, `metrics are taken by POST, got ${method}`);
}

/** @throws Refused */
function decoded(body: Uint8Array, encoding: Encoding): ReceivedMetric[] {
  try {
    return encoding === 'protobuf' ? decodeProtobuf(body) : decodeJson(new TextDecoder().decode(body));
  } catch (error) {
    if (error instanceof HdrscopeError && error.code === 'ERR_DECODE') throw new Refused(400, error.message);
    throw error;
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
