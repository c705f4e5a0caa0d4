import type { IncomingMessage, ServerResponse } from 'node:http';
import { HdrscopeError } from '@hdrscope/core';
import { readOptions } from '@hdrscope/core/internal';
import { Budget, notify, Turns } from '@hdrscope/kit';
import { Bodies, HttpRefusal, type IncomingBody, withPendingBytes } from '@hdrscope/kit/server';
import type { IngestMemory, Registry } from '@hdrscope/registry';
import { assertRegistry } from '@hdrscope/registry/internal';
import {
  describeProblems,
  type RemoteWriteIntakeHealth,
  WriteIntake,
  type WriteRefusals,
  type Written,
} from './intake.ts';
import { RECEIVER_RULES, type ReceiverSettings, type RemoteWriteReceiverOptions } from './options.ts';
import { readWriteRequest, type WriteVersion } from './read-request.ts';
import { unsnappy } from './unsnappy.ts';

/** Counters of a receiver since it was made. */
export interface RemoteWriteReceiverHealth extends RemoteWriteIntakeHealth {
  /** How many requests were accepted, those included of which some histograms were refused. */
  readonly requests: number;
  /** How many requests were answered with an error, and count nothing. */
  readonly failedRequests: number;
  /** The first 1000 names of series that are left out: gauges, counters and summaries. */
  readonly leftOut: readonly string[];
}

/** Receives what Prometheus and others send by remote write. */
export interface RemoteWriteReceiver {
  /**
   * Answers a request. For `http.createServer` and the routes of frameworks. Never throws and never rejects. It limits what a request
   * may hold, but not who may send it: your server decides that, for example by `Access` of `@hdrscope/kit/server`, and limits
   * connections and their time.
   */
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** The receiver's counters at this moment. */
  readonly health: RemoteWriteReceiverHealth;
  /** The last states of all histograms. An option of a receiver that replaces this one. */
  readonly memory: IngestMemory;
  /** Adds the classic histograms that still wait for parts, as they are. Later requests are answered as before. Never rejects. */
  settle(): Promise<void>;
}

const PATH = '/api/v1/write';
const CONTENT_TYPE = 'application/x-protobuf';
const PROTOS: Readonly<Record<string, WriteVersion>> = {
  'prometheus.writerequest': 1,
  'io.prometheus.write.v2.request': 2,
};
/** After so long without another part, a classic histogram is added as it is. */
const SETTLE_MS = 120_000;

const REMOTE_WRITE_RECEIVER = {
  name: 'remoteWriteReceiver',
  rules: RECEIVER_RULES,
  call: "remoteWriteReceiver(registry, { metrics: ['http_*'] })",
};

/**
 * Makes a receiver of Prometheus' remote write, versions 1 and 2, that adds histograms to a registry: native ones, native ones with custom
 * boundaries, and classic ones. The name and the unit identify a family, and all labels a series. Each state adds its increase since the
 * state before, or all of its counts after a restart; a state that comes again adds nothing. The first state of a series adds all that
 * its process has counted.
 *
 * The series of a classic histogram are put together by their time, also from several requests. The first state waits for the second
 * one, because only then it is known which buckets there are; one that gets no more parts for two minutes is added at the next request.
 * Where a histogram comes with native and classic buckets, the native ones count.
 *
 * Gauges, counters and summaries are left out, and count as written: `health.leftOut` names them. Exemplars are ignored. Histograms of
 * floats, histograms whose counts may fall, and those that contradict themselves are refused: the answer is 400 with the reasons, and all
 * else of the request counts. A sender does not repeat a request after 400, 413 and 415, and repeats it after 5xx.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option does not exist or is out of range.
 * @example
 * ```ts
 * import { createServer } from 'node:http';
 * import { remoteWriteReceiver } from '@hdrscope/prometheus/receiver';
 * import { sendRemoteWrite } from '@hdrscope/prometheus/remote-write';
 * import { createRegistry } from '@hdrscope/registry';
 *
 * const registry = createRegistry();
 * const receiver = remoteWriteReceiver(registry);
 * const server = createServer((request, response) => receiver.handle(request, response)).listen(0, '127.0.0.1');
 * await new Promise((resolve) => server.once('listening', resolve));
 * const { port } = server.address() as { port: number };
 *
 * const sent = createRegistry();
 * sent.histogram({ name: 'job.duration', unit: 's' }).with({ queue: 'mail' }).record(0.25);
 * await sendRemoteWrite(sent, { url: `http://127.0.0.1:${port}/api/v1/write` }).close();
 *
 * const [family] = (await registry.gather()).families;
 * [family!.name, family!.unit, family!.series[0]!.histogram.totalCount]; //=> ['job_duration_seconds', 's', 1]
 * [receiver.health.histograms, receiver.health.values]; //=> [1, 1]
 * server.close();
 * ```
 */
export function remoteWriteReceiver(
  registry: Registry,
  options: RemoteWriteReceiverOptions = {},
): RemoteWriteReceiver {
  return createReceiver(registry, readReceiverOptions(options));
}

/** Checks options, and fills in what is left out. */
export function readReceiverOptions(options: RemoteWriteReceiverOptions): ReceiverSettings {
  return withPendingBytes(readOptions(options, REMOTE_WRITE_RECEIVER));
}

/** `remoteWriteReceiver` with checked options. */
export function createReceiver(registry: Registry, settings: ReceiverSettings): RemoteWriteReceiver {
  assertRegistry(registry);
  const { maxBytes, maxElements, maxPendingBytes, observer } = settings;
  const intake = new WriteIntake(registry, settings);
  const bodies = new Bodies({ maxBytes, maxPendingBytes });
  const turns = new Turns();
  let requests = 0;
  let failedRequests = 0;

  const report = (refusals: WriteRefusals): void => {
    if (refusals.refused === 0) return;
    notify(() => observer?.failed?.(new Error(describeProblems(refusals))));
  };
  return {
    async handle(request, response) {
      try {
        const version = readVersion(request, response);
        const body: IncomingBody = { source: request, isGzip: false, holder: request };
        const written = await bodies.use(body, (bytes) =>
          // One after the other: only one request at a time is in memory in full, and states stay in their order.
          turns.take(function* () {
            if (isOver(response)) throw new HttpRefusal(400, GONE);
            const budget = new Budget('the body', { elements: maxElements });
            const plain = unsnappy(bytes, maxBytes);
            const parsed = yield* readWriteRequest(plain, version, budget);
            const taken = yield* intake.take(parsed);
            report(yield* intake.settle(SETTLE_MS));
            return taken;
          }),
        );
        requests++;
        answerWritten(response, version, written);
        report(written);
        report(written.assembled);
        if (written.refused + written.assembled.refused === 0) notify(() => observer?.succeeded?.());
      } catch (error) {
        failedRequests++;
        notify(() => observer?.failed?.(error));
        // The client has gone, or has its answer.
        if (!isOver(response)) answerFailure(response, error);
      }
    },
    get health() {
      const leftOut = Object.freeze([...intake.leftOut]);
      return Object.freeze({ requests, failedRequests, ...intake.health, leftOut });
    },
    memory: intake.memory,
    async settle() {
      report(await turns.take(() => intake.settle(0)));
    },
  };
}

const GONE = 'the client has gone, or has got an error, before its request was read';

function isOver(response: ServerResponse): boolean {
  return response.destroyed || response.headersSent;
}

/**
 * The version of a request, by its headers.
 * Source: https://prometheus.io/docs/specs/prw/remote_write_spec_2_0/#protocol
 *
 * @throws HttpRefusal 404, 405 or 415.
 */
function readVersion({ url = '', method, headers }: IncomingMessage, response: ServerResponse): WriteVersion {
  const [path] = url.split('?');
  if (path !== PATH) throw new HttpRefusal(404, `remote write is accepted at ${PATH} only`);
  if (method !== 'POST') {
    response.setHeader('allow', 'POST');
    throw new HttpRefusal(405, `remote write is accepted by POST only, got ${method}`);
  }
  const [type, ...parameters] = (headers['content-type'] ?? '')
    .toLowerCase()
    .split(';')
    .map((part) => part.trim());
  const proto = parameters.find((part) => part.startsWith('proto='))?.slice('proto='.length);
  const version = proto === undefined ? 1 : PROTOS[proto.replaceAll('"', '')];
  if (type !== CONTENT_TYPE || version === undefined) {
    const got = JSON.stringify(headers['content-type'] ?? '');
    throw new HttpRefusal(
      415,
      `content-type must be ${CONTENT_TYPE}, alone or with proto=prometheus.WriteRequest or proto=io.prometheus.write.v2.Request, got ${got}`,
    );
  }
  const encoding = (headers['content-encoding'] ?? 'snappy').trim().toLowerCase();
  if (encoding !== 'snappy') {
    throw new HttpRefusal(415, `content-encoding must be snappy, got ${JSON.stringify(encoding)}`);
  }
  return version;
}

/** Answers a request that was read. Only version 2 has numbers in its answers. */
function answerWritten(response: ServerResponse, version: WriteVersion, written: Written): void {
  if (isOver(response)) return;
  if (version === 2) {
    for (const what of ['samples', 'histograms', 'exemplars'] as const) {
      response.setHeader(`x-prometheus-remote-write-${what}-written`, written[what]);
    }
  }
  if (written.refused === 0) response.writeHead(204).end();
  else send(response, 400, `not all of the request is taken: ${describeProblems(written)}${DROP}`);
}

const DROP =
  '. All else counts. Histograms that are never taken can be dropped by write_relabel_configs of the sender';

function answerFailure(response: ServerResponse, error: unknown): void {
  const { status, message } = toRefusal(error);
  if (status === 503) response.setHeader('retry-after', '1');
  // The rest of the request will not be read.
  if (!response.req.complete) response.setHeader('connection', 'close');
  send(response, status, message);
}

function send(response: ServerResponse, status: number, message: string): void {
  const body = `${message}\n`;
  response.writeHead(status, {
    'content-type': 'text/plain; charset=utf-8',
    'content-length': Buffer.byteLength(body),
  });
  response.end(body);
}

function toRefusal(error: unknown): Pick<HttpRefusal, 'status' | 'message'> {
  if (error instanceof HttpRefusal) return error;
  if (!(error instanceof HdrscopeError)) {
    return { status: 500, message: error instanceof Error ? error.message : String(error) };
  }
  const { code, message, details } = error;
  if (code === 'ERR_DECODE') return { status: 400, message };
  if (code !== 'ERR_TOO_LARGE') return { status: 500, message };
  const name = details.limit === 'bytes' ? 'maxBytes' : 'maxElements';
  const cure = `: lower max_samples_per_send of the sender, or raise ${name} of the receiver`;
  return { status: 413, message: `${message}${cure}` };
}
