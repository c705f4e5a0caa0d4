import { HdrscopeError } from '@hdrscope/core';
import { asCount, asFinite, asObject, asText, Budget, parseJson } from '@hdrscope/kit';
import { leaveOutBad, readLines } from '../bytes.ts';
import { assertLabels, isRequest, type RequestFacts, type RequestReader } from './load.ts';

// The headers of a response.
const LIMITS = { elements: 10_000, depth: 16 };

const LABELS = ['attack', 'method', 'url', 'code', 'error'];

/** What is known of all outputs of vegeta. */
export const VEGETA: RequestFacts = {
  tool: 'vegeta',
  failure: 'requests without a response, or with a status other than 200 to 399',
  unstated: 'there are no requests',
};

/** Whether vegeta counts a request as no success. Source: vegeta, `lib/metrics.go`, `Metrics.Add`. */
export function isVegetaFailure(code: number, error: string): boolean {
  return code < 200 || code >= 400 || error !== '';
}

/**
 * `vegeta encode --to json`: a line of JSON for each request, with its latency in nanoseconds.
 * Source: vegeta, `lib/results.go`, `NewJSONEncoder`.
 */
export const VEGETA_LINES: RequestReader = {
  mark: /^\s*\{"attack":"(?:[^"\\\n]|\\.)*","seq":\d+,"code":\d+,"timestamp":"/,
  facts: VEGETA,
  read(bytes, options, sink) {
    const { labels = [] } = options;
    assertLabels(labels, LABELS);
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
        const values = labels.map((label) => String(fields[label] ?? ''));
        sink.onRequest(durationMs, startSec, labels.length === 0 ? undefined : values);
        sink.onOutcome?.(isFailed, startSec);
      }),
    );
  },
};
