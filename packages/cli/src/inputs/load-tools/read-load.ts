import { HdrscopeError, Histogram } from '@hdrscope/core';
import { Budget, isObject, type JsonObject, parseJson } from '@hdrscope/kit';
import { type Io, Refusal } from '../../command.ts';
import { LineTally } from '../line-tally.ts';
import { isAutocannon, readAutocannon } from './autocannon.ts';
import { isK6Summary, K6_METRIC, K6Requests, readK6Points, readK6Summary, readK6Table } from './k6.ts';
import type { ErrorCount, LineReading, LoadInput, LoadSummary, RequestSink } from './load.ts';
import { isOhaSummary, readOhaSummary, readOhaTable } from './oha.ts';

/** How the requests of a load generator are read. */
export interface RequestReading extends LineReading {
  /** The metric of k6 that has the durations. @default 'http_req_duration' */
  readonly metric?: string | undefined;
}

/**
 * Reads all requests of a load test.
 *
 * @throws Refusal when there are none.
 */
export async function readRequests(
  input: LoadInput,
  reading: RequestReading,
  sink: RequestSink,
): Promise<void> {
  const { name, kind } = input;
  if (kind === 'oha table') return readOhaTable(input, reading, sink);
  const requests = new K6Requests(reading.metric ?? K6_METRIC, sink);
  const read = kind === 'k6 points' ? readK6Points : readK6Table;
  await read(input, reading, requests).catch((error: unknown) => {
    throw error instanceof Refusal ? new Refusal(`${name}: ${error.message}`) : error;
  });
  requests.assertFound(name);
}

// In nanoseconds, as hdrscope record counts milliseconds.
const TICKS_PER_MS = 1e6;

/** The beginning of the text, which states the unit. */
export const FIGURES_BEGINNING = '{"unit":"ms","resolution":0.000001,';

/**
 * The durations of a load test as figures with an encoded histogram, as `hdrscope record --format json` writes them. Each iteration reads
 * the input anew.
 */
export class RequestsAsFigures implements AsyncIterable<Uint8Array> {
  readonly #input: LoadInput;
  readonly #io: Io;

  constructor(input: LoadInput, io: Io) {
    this.#input = input;
    this.#io = io;
  }

  /** @throws Refusal when a line is malformed: figures of the others would look whole. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void> {
    const histogram = new Histogram();
    const badLines = new LineTally();
    await readRequests(
      this.#input,
      { badLines, onBytes: () => this.#io.signal.throwIfAborted() },
      { onRequest: (durationMs) => histogram.record(Math.round(durationMs * TICKS_PER_MS)) },
    );
    if ((await badLines.report(this.#io)) !== 0) throw new Refusal(`${this.#input.name} has malformed lines`);
    yield Buffer.from(`${FIGURES_BEGINNING}"encoded":"${histogram.toBase64()}"}\n`);
  }
}

// Summaries.

// The groups and checks of a k6 script.
const LIMITS = { elements: 1_000_000, depth: 200 };

/**
 * Reads the JSON that a load generator writes at the end of a test.
 *
 * @param name The name of the text in messages.
 * @param metric The metric of k6 that has the durations.
 * @throws Refusal
 */
export function readLoadSummary(text: string, name: string, metric: string = K6_METRIC): LoadSummary {
  try {
    const json = parseJson(text, 'the text', new Budget('the text', LIMITS));
    if (isObject(json)) {
      const summary = summaryOf(json, metric);
      if (summary !== undefined) return summary;
    }
  } catch (error) {
    if (!(error instanceof HdrscopeError || error instanceof Refusal)) throw error;
    throw new Refusal(`${name}: ${error.message}`, { cause: error });
  }
  throw new Refusal(
    `${name} is JSON, and not a summary of autocannon (--json), k6 (--summary-export) or oha (--output-format json)`,
  );
}

function summaryOf(json: JsonObject, metric: string): LoadSummary | undefined {
  if (isAutocannon(json)) return readAutocannon(json);
  if (isOhaSummary(json)) return readOhaSummary(json);
  return isK6Summary(json) ? readK6Summary(json, metric) : undefined;
}

// wrk2.

/**
 * The errors in the report of wrk2 or wrk. It has a line for them only when there are some. `undefined` when the text is no such report.
 * Source: wrk2, `src/wrk.c`, `main`.
 */
export function wrkErrors(text: string): ErrorCount | undefined {
  const [, responses] = /^ +(\d+) requests in [\d.]+[a-z]+, [\d.]+[A-Za-z]+ read$/m.exec(text) ?? [];
  if (responses === undefined) return undefined;
  const [, ...socket] =
    /^ +Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)$/m.exec(text) ?? [];
  const [, statuses = '0'] = /^ +Non-2xx or 3xx responses: (\d+)$/m.exec(text) ?? [];
  const broken = socket.reduce((sum, count) => sum + Number(count), 0);
  return {
    failed: broken + Number(statuses),
    requests: Number(responses) + broken,
    meaning: 'responses with a status of at least 400, timeouts and broken connections',
  };
}
