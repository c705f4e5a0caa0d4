import type { HdrscopeError } from '@hdrscope/core';
import type { Labels, Metric, MetricFamily } from '../../families.ts';
import { RequestEncoder } from '../../remote-write/encode.ts';
import { postRequest } from '../../remote-write/post-request.ts';
import { boundaryText } from '../../text-parts.ts';
import { CASE_LABEL } from './bind-query.ts';
import {
  type DrawnHistogram,
  drawHistogram,
  drawNumbers,
  type NativeForm,
  SAMPLES,
  STEP_MS,
  seedSeries,
} from './draw-series.ts';
import type { AskedMetrics } from './list-metrics.ts';
import { chooseRows, type LabelSet } from './plan-labels.ts';

/** A Prometheus that takes remote write 2, and whose series are made up. */
export interface GeneratedServer {
  readonly url: URL;
  /** The time of the last samples, in milliseconds since 1970. */
  readonly untilMs: number;
  readonly seed: number;
  readonly signal: AbortSignal;
}

/** The series of one question. */
export interface Case {
  readonly name: string;
  readonly form: NativeForm;
  readonly rows: readonly LabelSet[];
  readonly bounds: readonly number[];
  readonly metrics: AskedMetrics;
  /** How long before the end the query reads series, besides the time up to the end. */
  readonly offsetsMs: readonly number[];
}

/** Offsets that are shorter stay within the time of the samples. */
export const LEAST_OFFSET_MS: number = (SAMPLES * STEP_MS) / 3;

const TIMEOUT_MS = 60_000;

/** Writes all series of a question. @throws HdrscopeError `ERR_REMOTE_WRITE` when the server does not take them. */
export async function writeCase(one: Case, server: GeneratedServer): Promise<void> {
  const encoder = new RequestEncoder(0, [[CASE_LABEL, one.name]]);
  const far = one.offsetsMs.filter((offsetMs) => offsetMs > LEAST_OFFSET_MS);
  const endsMs = [...new Set([...far, 0])].sort((a, b) => b - a).map((offsetMs) => server.untilMs - offsetMs);
  const add = (
    name: string,
    labels: Labels,
    samples: readonly (Metric['value'] | number | undefined)[],
  ): void => {
    for (const endMs of endsMs) {
      const firstMs = endMs - (SAMPLES - 1) * STEP_MS;
      for (const [step, sample] of samples.entries()) {
        if (sample === undefined) continue;
        encoder.setTime(firstMs + step * STEP_MS);
        const value = typeof sample === 'number' ? ({ kind: 'number', value: sample } as const) : sample;
        encoder.add(describeFamily(name, value), { labels, value });
      }
    }
  };
  for (const { name, selectors } of one.metrics.numbers) {
    const isCounter = /_total$/.test(name) || selectors.some((selector) => selector.isCounter);
    for (const [row, labels] of chooseRows(one.rows, selectors).entries())
      add(name, [...labels], drawNumbers(row, isCounter, seedSeries(server.seed, `${name} ${row}`)));
  }
  for (const { name, selectors, recordedAs = [] } of one.metrics.histograms) {
    for (const [row, labels] of chooseRows(one.rows, selectors).entries()) {
      const drawn = drawHistogram(row, one.bounds, one.form, seedSeries(server.seed, `${name} ${row}`));
      add(
        name,
        [...labels],
        drawn.map((sample) => sample?.native),
      );
      for (const buckets of [`${name}_bucket`, ...recordedAs])
        addBuckets(buckets, [...labels], one.bounds, drawn, add);
      add(
        `${name}_sum`,
        [...labels],
        drawn.map((sample) => sample?.sum),
      );
      add(
        `${name}_count`,
        [...labels],
        drawn.map((sample) => sample?.count),
      );
    }
  }
  const url = new URL(`${server.url.href.replace(/\/$/, '')}/api/v1/write`);
  const { error } = await postRequest(encoder, {
    ...{ url, headers: {}, tls: {}, timeoutMs: TIMEOUT_MS, signal: server.signal },
  });
  if (error !== undefined) throw error satisfies HdrscopeError;
}

function addBuckets(
  name: string,
  labels: Labels,
  bounds: readonly number[],
  drawn: readonly (DrawnHistogram | undefined)[],
  add: (name: string, labels: Labels, samples: readonly (number | undefined)[]) => void,
): void {
  for (const [at, bound] of [...bounds, undefined].entries()) {
    const le = bound === undefined ? '+Inf' : boundaryText(bound);
    const cumulative = drawn.map((sample) =>
      sample?.counts.slice(0, at + 1).reduce((total, count) => total + count, 0),
    );
    add(name, [...labels, ['le', le]], cumulative);
  }
}

function describeFamily(name: string, { kind }: Metric['value']): Omit<MetricFamily, 'metrics'> {
  return {
    name,
    isFixedName: true,
    help: '',
    unit: '',
    type: kind === 'histogram' ? 'histogram' : 'unknown',
  };
}
