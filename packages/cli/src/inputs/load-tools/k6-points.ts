import { HdrscopeError } from '@hdrscope/core';
import { asFinite, asObject, asText, Budget, parseJson } from '@hdrscope/kit';
import type { K6Requests } from './k6-requests.ts';
import type { LoadInput } from './load-input.ts';
import { type LineReading, readLines } from './text-lines.ts';

// A point has a few dozen tags.
const LIMITS = { elements: 10_000, depth: 16 };

/**
 * Reads `k6 run --out json=FILE`: a line of JSON for each metric and for each of its values.
 * Source: https://grafana.com/docs/k6/latest/results-output/real-time/json/
 */
export function readK6Points(input: LoadInput, reading: LineReading, requests: K6Requests): Promise<void> {
  return readLines(input, reading, (line, lineNumber) => {
    try {
      readLine(line, requests);
    } catch (error) {
      if (!(error instanceof HdrscopeError)) throw error;
      reading.badLines.add(lineNumber, () => `${input.name}: line ${lineNumber}: ${error.message}`);
    }
  });
}

function readLine(line: string, requests: K6Requests): void {
  // Most lines are of other metrics, and parsing takes far longer than the search.
  if (!requests.isNamedIn(line) && !line.includes('"Metric"')) return;
  const { type, metric, data } = asObject(
    parseJson(line, 'the line', new Budget('the line', LIMITS)),
    'line',
  );
  const name = asText(metric, 'metric');
  const fields = asObject(data, 'data');
  if (type === 'Metric') requests.onMetric(name, asText(fields.type, 'data.type'), fields.contains);
  if (type !== 'Point' || !requests.isWanted(name)) return;
  requests.onPoint(
    name,
    asFinite(fields.value, 'data.value'),
    Date.parse(asText(fields.time, 'data.time')) / 1000,
  );
}
