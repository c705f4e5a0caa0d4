import { Refusal } from '../../command.ts';
import { readK6Points } from './k6-points.ts';
import { K6_METRIC, K6Requests } from './k6-requests.ts';
import { readK6Table } from './k6-table.ts';
import type { LoadInput } from './load-input.ts';
import { readOhaTable } from './oha-table.ts';
import type { RequestSink } from './request-sink.ts';
import type { LineReading } from './text-lines.ts';

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
