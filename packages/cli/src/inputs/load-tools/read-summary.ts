import { HdrscopeError } from '@hdrscope/core';
import { Budget, isObject, type JsonObject, parseJson } from '@hdrscope/kit';
import { Refusal } from '../../command.ts';
import { isAutocannon, readAutocannon } from './autocannon.ts';
import { K6_METRIC } from './k6-requests.ts';
import { isK6Summary, readK6Summary } from './k6-summary.ts';
import type { LoadSummary } from './load-summary.ts';
import { isOhaSummary, readOhaSummary } from './oha-summary.ts';

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
