import { HdrscopeError } from '@hdrscope/core';
import { Refusal } from '../../command.ts';
import { isRequest, type RequestSink } from './request-sink.ts';

/** The metric of k6 that has the duration of each HTTP request. */
export const K6_METRIC = 'http_req_duration';

// 0 or 1 for each HTTP request; 1 is a failure, by default a status other than 200 to 399.
const FAILED = 'http_req_failed';

/** Picks the requests from all values of k6. */
export class K6Requests {
  readonly #metric: string;
  readonly #sink: RequestSink;
  /** The metrics of the file that have a distribution. */
  readonly #trends = new Set<string>();
  #count = 0;

  /** @param metric The metric whose values are the durations. */
  constructor(metric: string, sink: RequestSink) {
    this.#metric = metric;
    this.#sink = sink;
  }

  /** Whether a text may have a value that is wanted. */
  isNamedIn(text: string): boolean {
    return text.includes(this.#metric) || text.includes(FAILED);
  }

  isWanted(metric: string): boolean {
    return metric === this.#metric || metric === FAILED;
  }

  /**
   * Takes the declaration of a metric.
   *
   * @throws Refusal when the wanted metric has no durations.
   */
  onMetric(metric: string, type: string, contains: unknown): void {
    if (type !== 'trend') return;
    if (metric === this.#metric && contains !== undefined && contains !== 'time') {
      throw new Refusal(`the metric ${metric} has no times: Trend(name, true) makes one of times`);
    }
    this.#trends.add(metric);
  }

  /** @throws HdrscopeError `ERR_DECODE` when a duration or its time is out of range. */
  onPoint(metric: string, value: number, atSec: number): void {
    if (metric === FAILED) {
      this.#sink.onOutcome?.(value !== 0);
      return;
    }
    if (!isRequest(value, atSec)) {
      const message = `a value must be a duration in milliseconds, with its time, got ${value}`;
      throw new HdrscopeError('ERR_DECODE', message);
    }
    this.#count++;
    this.#sink.onRequest(value, atSec);
  }

  /** @throws Refusal when the file named `name` had no values of the metric. */
  assertFound(name: string): void {
    if (this.#count > 0) return;
    const others = [...this.#trends].filter((one) => one !== this.#metric).slice(0, 10);
    const cure = others.length === 0 ? '' : `: its other metrics are ${others.join(', ')}`;
    throw new Refusal(`${name} has no values of the metric ${this.#metric}${cure}`);
  }
}
