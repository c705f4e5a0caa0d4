import {
  asArray,
  asCount,
  asObject,
  asText,
  atOnce,
  Budget,
  type BudgetLimits,
  isObject,
} from '@hdrscope/kit';
import { type PromMetric, readMetric, sendable } from './metrics.ts';

// The two ends of a port may exchange other messages too, such as those of a registry of hdrscope, so these have a mark.
//
//   main  { hdrscope: 'prom-client-question', request }  ─▶  worker
//   main  ◀─  { hdrscope: 'prom-client-answer', request, isLast, metrics }  worker, with metrics as `getMetricsAsJSON` has them
//   main  ◀─  { hdrscope: 'prom-client-answer', request, isLast, error }    worker, when it has no metrics
const QUESTION = 'prom-client-question';
const ANSWER = 'prom-client-answer';

/** Limits of one message: its samples and labels in all metrics. */
const MESSAGE_LIMITS: BudgetLimits = { elements: 10_000_000 };
const MOST_METRICS = 100_000;
const LONGEST_ERROR = 1000;

/** The metrics of a worker, or why it has none. */
export interface Answer {
  /** The question that is answered; 0 when there was none. */
  readonly request: number;
  /** Whether no more answers will come. */
  readonly isLast: boolean;
  readonly metrics: readonly PromMetric[];
  /** Why there are no metrics; `undefined` when there are. */
  readonly error: string | undefined;
}

export function questionMessage(request: number): object {
  return { hdrscope: QUESTION, request };
}

/** The number of a question; `undefined` for any other message. */
export function requestIn(message: unknown): number | undefined {
  if (!isObject(message) || message.hdrscope !== QUESTION) return undefined;
  const { request } = message;
  return Number.isSafeInteger(request) ? (request as number) : undefined;
}

export function metricsMessage(request: number, isLast: boolean, metrics: readonly object[]): object {
  return { hdrscope: ANSWER, request, isLast, metrics: sendable(metrics) };
}

export function errorMessage(request: number, isLast: boolean, error: string): object {
  return { hdrscope: ANSWER, request, isLast, error: error.slice(0, LONGEST_ERROR) };
}

/**
 * Reads an answer; `undefined` for any other message.
 *
 * @throws HdrscopeError `ERR_DECODE` when the answer is malformed, `ERR_TOO_LARGE` when it is too large.
 */
export function readAnswer(message: unknown): Answer | undefined {
  if (!isObject(message) || message.hdrscope !== ANSWER) return undefined;
  const { request, isLast, metrics, error } = asObject(message, 'answer');
  const facts = { request: asCount(request, 'answer.request'), isLast: isLast === true };
  if (error !== undefined) {
    return { ...facts, metrics: [], error: asText(error, 'answer.error').slice(0, LONGEST_ERROR) };
  }
  const budget = new Budget('the answer of a process', MESSAGE_LIMITS);
  const items = asArray(metrics, 'answer.metrics', MOST_METRICS);
  return {
    ...facts,
    metrics: items.map((item, i) => atOnce(readMetric(item, `answer.metrics[${i}]`, budget))),
    error: undefined,
  };
}
