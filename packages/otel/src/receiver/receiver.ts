import type { IncomingMessage, ServerResponse } from 'node:http';
import { HdrscopeError } from '@hdrscope/core';
import { readOptions } from '@hdrscope/core/internal';
import { notify, Turns } from '@hdrscope/kit';
import { Bodies, HttpRefusal, type IncomingBody, withPendingBytes } from '@hdrscope/kit/server';
import type { IngestMemory, Registry } from '@hdrscope/registry';
import { assertRegistry } from '@hdrscope/registry/internal';
import { answerFailure, answerSuccess, CONTENT_TYPES, type Encoding } from './answer.ts';
import { decodeJson } from './decode-json.ts';
import { decodeProtobuf } from './decode-protobuf.ts';
import { OtlpIntake, type OtlpIntakeHealth } from './intake.ts';
import { bodyBudget } from './limits.ts';
import { type OtlpReceiverOptions, RECEIVER_RULES, type ReceiverSettings } from './options.ts';
import type { ReceivedMetric } from './received.ts';
import type { PointRefusals } from './refusals.ts';
import type { Pausing } from './wire.ts';

/** Counters of a receiver since it was made. */
export interface OtlpReceiverHealth extends OtlpIntakeHealth {
  /** How many requests were accepted. */
  readonly requests: number;
  /** How many requests were answered with an error. */
  readonly failedRequests: number;
}

/** Receives the metrics that OpenTelemetry SDKs and Collectors export by OTLP over HTTP. */
export interface OtlpReceiver {
  /**
   * Answers a request. For `http.createServer` and the routes of frameworks. Never throws and never rejects. It limits what a request
   * may hold, but not who may send it: your server decides that, for example by `Access` of `@hdrscope/kit/server`, and limits
   * connections and their time.
   */
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** The receiver's counters at this moment. */
  readonly health: OtlpReceiverHealth;
  /** The last points of all streams. An option of a receiver that replaces this one. */
  readonly memory: IngestMemory;
}

/** A request to a receiver, over any transport. */
export interface ReceiverCall {
  /** @throws HttpRefusal when the request is not one for a receiver of metrics. */
  openBody(): IncomingRequest | Promise<IncomingRequest>;
  /** Whether the client has gone, or has its answer. */
  isOver(): boolean;
  /** Answers an accepted request. */
  succeed(refusals: PointRefusals): void;
  /** Answers a failed one, of which nothing counts. */
  fail(refusal: Pick<HttpRefusal, 'status' | 'message'>): void;
}

/** The body of a request, and how it is written. */
export interface IncomingRequest extends IncomingBody {
  readonly encoding: Encoding;
}

/** A receiver of requests over any transport. */
export interface CallReceiver extends OtlpReceiver {
  /** Takes a request in, and answers it. Never rejects. */
  answer(call: ReceiverCall): Promise<void>;
}

const PATH = '/v1/metrics';

const OTLP_RECEIVER = {
  name: 'otlpReceiver',
  rules: RECEIVER_RULES,
  call: "otlpReceiver(registry, { resourceAttributes: ['service.name'] })",
};

/**
 * Makes a receiver of OTLP over HTTP that adds histograms to a registry: explicit and exponential, cumulative and delta,
 * in protobuf and in JSON, plain and gzipped. It adds buckets as counts, never as single values. Scope, name and unit
 * identify a family; the point's attributes and the identifying resource attributes identify a series.
 *
 * A point of a cumulative stream adds its increase since the previous point, or all of its counts after a restart. A point
 * of a delta stream is added once. Sums and gauges go to the option `numbers`, which keeps their last states. The receiver refuses
 * summaries, points that contradict themselves, and, without that option, sums and gauges: none of their values count, and the answer is
 * 200 with the number of refused points and the reasons, as
 * [OTLP requires](https://opentelemetry.io/docs/specs/otlp/#partial-success-1).
 *
 * A bucket counts, whole, at its middle, after the minimum and the maximum of the stream have narrowed it. Values below 0
 * count as `rejected` in their series.
 *
 * Requests that pass `maxBytes` or `maxElements` get 413, and 503 when the requests under way pass `maxPendingBytes`: nothing of them
 * counts. Requests are taken one after another, and other work of the process runs between the points of a big one.
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
  return createReceiver(registry, withPendingBytes(readOptions(options, OTLP_RECEIVER)));
}

/** `otlpReceiver` with checked options. */
export function createReceiver(registry: Registry, settings: ReceiverSettings): CallReceiver {
  assertRegistry(registry);
  const { maxBytes, maxElements, maxPendingBytes, observer } = settings;
  const intake = new OtlpIntake(registry, settings);
  const bodies = new Bodies({ maxBytes, maxPendingBytes });
  const turns = new Turns();
  let requests = 0;
  let failedRequests = 0;

  const answer = async (call: ReceiverCall): Promise<void> => {
    try {
      const { encoding, ...body } = await call.openBody();
      const refusals = await bodies.use(body, (bytes) =>
        // One after the other: only one request at a time is in memory in full, and its points stay together.
        turns.take(function* () {
          if (call.isOver()) throw new HttpRefusal(400, GONE);
          const metrics = yield* decoded(bytes, encoding, maxElements);
          return yield* intake.take(metrics);
        }),
      );
      requests++;
      call.succeed(refusals);
      notify(() => observer?.succeeded?.());
    } catch (error) {
      failedRequests++;
      notify(() => observer?.failed?.(error));
      // The client has gone, or has its answer.
      if (!call.isOver()) call.fail(refusalOf(error));
    }
  };
  return {
    handle: (request, response) => answer(httpCall(request, response)),
    answer,
    get health() {
      return Object.freeze({ requests, failedRequests, ...intake.health });
    },
    memory: intake.memory,
  };
}

const GONE = 'the client has gone, or has got an error, before its request was read';
const TYPES_TEXT = Object.values(CONTENT_TYPES).join(' or ');

/** A request over HTTP. */
function httpCall(request: IncomingMessage, response: ServerResponse): ReceiverCall {
  const encoding = encodingOf(request.headers['content-type']);
  return {
    openBody() {
      assertRoute(request, response);
      if (encoding === undefined) throw new HttpRefusal(415, `content-type must be ${TYPES_TEXT}`);
      const isGzip = isGzipped('content-encoding', request.headers['content-encoding']);
      return { source: request, isGzip, holder: request, encoding };
    },
    isOver: () => response.destroyed || response.headersSent,
    succeed: (refusals) => answerSuccess(response, encoding!, refusals),
    fail: ({ status, message }) => answerFailure(response, encoding ?? 'json', status, message),
  };
}

/** @throws HttpRefusal 415 when the encoding is unknown. */
export function isGzipped(header: string, value = 'identity'): boolean {
  const encoding = value.trim().toLowerCase();
  if (encoding === 'gzip' || encoding === 'identity') return encoding === 'gzip';
  throw new HttpRefusal(415, `${header} must be gzip or identity, got ${JSON.stringify(encoding)}`);
}

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

/** @throws HdrscopeError `ERR_DECODE` when the body is not a request, `ERR_TOO_LARGE` when it passes a limit. */
function decoded(body: Uint8Array, encoding: Encoding, maxElements: number): Pausing<ReceivedMetric[]> {
  const budget = bodyBudget(maxElements);
  return encoding === 'protobuf'
    ? decodeProtobuf(body, budget)
    : decodeJson(new TextDecoder().decode(body), budget);
}

/** The status of an answer, and its message for people. */
function refusalOf(error: unknown): Pick<HttpRefusal, 'status' | 'message'> {
  if (error instanceof HttpRefusal) return error;
  if (!(error instanceof HdrscopeError)) {
    return { status: 500, message: error instanceof Error ? error.message : String(error) };
  }
  const { code, message, details } = error;
  if (code === 'ERR_DECODE') return { status: 400, message };
  if (code !== 'ERR_TOO_LARGE') return { status: 500, message };
  const cure = CURES[details.limit as string];
  return cure === undefined ? { status: 400, message } : { status: 413, message: `${message}${cure}` };
}

const CURES: Readonly<Record<string, string>> = {
  bytes: ', on the wire and decompressed: send smaller batches, or raise maxBytes of the receiver',
  elements: ': send smaller batches, or raise maxElements of the receiver',
};
