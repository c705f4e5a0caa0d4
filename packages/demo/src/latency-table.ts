import type { Histogram, ReadonlyHistogram } from '@hdrscope/core';
import { formatCount } from '@hdrscope/plot';
import type { Snapshot } from '@hdrscope/registry';
import { formatDuration } from './duration-text.ts';
import { DURATION_METRIC } from './telemetry.ts';

/** One line of a table: a name and its distribution, in nanoseconds. */
export interface LatencyRow {
  readonly label: string;
  /** `undefined` when there were no requests. */
  readonly histogram: ReadonlyHistogram | undefined;
}

const COLUMNS = [
  ['p50', 50],
  ['p90', 90],
  ['p99', 99],
  ['p99.9', 99.9],
  ['max', 100],
] as const;

const TIME_WIDTH = 7;
const LABEL_WIDTH = 23;
const COUNT_WIDTH = 9;
const VALUE_WIDTH = 10;

const TITLES = COLUMNS.map(([title]) => title);
const NO_VALUES = COLUMNS.map(() => '-');

/** Formats the line above the rows. */
export function formatHeader(time: string, label: string): string {
  return formatLine(time, label, 'count', TITLES);
}

/** Formats rows under the header's columns. The time stands beside the first row. */
export function formatRows(time: string, rows: readonly LatencyRow[]): string[] {
  return rows.map(({ label, histogram }, index) => {
    const values = histogram
      ?.valuesAtPercentiles(COLUMNS.map(([, percentile]) => percentile))
      .map(formatDuration);
    const count = formatCount(histogram?.totalCount ?? 0);
    return formatLine(index === 0 ? time : '', label, count, values ?? NO_VALUES);
  });
}

function formatLine(time: string, label: string, count: string, values: readonly string[]): string {
  const cells = values.map((value) => value.padStart(VALUE_WIDTH)).join('');
  return `${time.padStart(TIME_WIDTH)}  ${label.padEnd(LABEL_WIDTH)}${count.padStart(COUNT_WIDTH)}${cells}`;
}

/**
 * The distribution of each route over all status codes: histograms of one layout add up without loss.
 *
 * @param labels Rows that always exist, and come first.
 */
export function rowsByRoute(snapshot: Snapshot, labels: readonly string[]): LatencyRow[] {
  const byLabel = new Map<string, Histogram | undefined>(labels.map((label) => [label, undefined]));
  for (const { attributes, histogram } of durationSeries(snapshot)) {
    const label = `${attributes['http.request.method']} ${attributes['http.route'] ?? '(no route)'}`;
    byLabel.set(label, sum(byLabel.get(label), histogram));
  }
  return [...byLabel].map(([label, histogram]) => ({ label, histogram }));
}

/** Merges all rows into one. */
export function mergeRows(label: string, rows: readonly LatencyRow[]): LatencyRow {
  let merged: Histogram | undefined;
  for (const { histogram } of rows) if (histogram !== undefined) merged = sum(merged, histogram);
  return { label, histogram: merged };
}

function sum(total: Histogram | undefined, added: ReadonlyHistogram): Histogram {
  if (total === undefined) return added.copy();
  total.add(added);
  return total;
}

/** The counted requests, by status code. */
export function countsByStatus(snapshot: Snapshot): Map<number, number> {
  const counts = new Map<number, number>();
  for (const { attributes, histogram } of durationSeries(snapshot)) {
    const status = Number(attributes['http.response.status_code']);
    counts.set(status, (counts.get(status) ?? 0) + histogram.totalCount);
  }
  return counts;
}

function durationSeries(snapshot: Snapshot): Snapshot['families'][number]['series'] {
  return snapshot.families.find(({ name }) => name === DURATION_METRIC)?.series ?? [];
}
