import { HdrscopeError } from '@hdrscope/core';
import { asCount, asFinite, asObject, asText, Budget, parseJson } from '@hdrscope/kit';
import { leaveOutBad, type ReadLinesOptions, readLines, type TextBytes } from '../bytes.ts';
import { isRequest, type RequestSink } from './load.ts';
import { isVegetaFailure } from './request-table.ts';

// The headers of a response.
const LIMITS = { elements: 10_000, depth: 16 };

/**
 * Reads `vegeta encode --to json`: a line of JSON for each request, with its latency in nanoseconds.
 * Source: vegeta, `lib/results.go`, `NewJSONEncoder`.
 */
export function readVegetaLines(
  bytes: TextBytes,
  options: ReadLinesOptions,
  sink: RequestSink,
): Promise<void> {
  return readLines(bytes, options, (line, lineNumber) =>
    leaveOutBad(lineNumber, options, () => {
      const fields = asObject(parseJson(line, 'the line', new Budget('the line', LIMITS)), 'line');
      const durationMs = asFinite(fields.latency, 'latency') / 1e6;
      const startSec = Date.parse(asText(fields.timestamp, 'timestamp')) / 1000;
      if (!isRequest(durationMs, startSec)) {
        const message = `latency must be a duration in nanoseconds, with its timestamp, got ${fields.latency}`;
        throw new HdrscopeError('ERR_DECODE', message);
      }
      const isFailed = isVegetaFailure(asCount(fields.code, 'code'), asText(fields.error ?? '', 'error'));
      sink.onRequest(durationMs, startSec);
      sink.onOutcome?.(isFailed, startSec);
    }),
  );
}
