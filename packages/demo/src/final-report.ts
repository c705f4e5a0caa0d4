import { formatPercentiles } from '@hdrscope/core';
import { formatCount } from '@hdrscope/plot';
import type { Snapshot } from '@hdrscope/registry';
import {
  countsByStatus,
  formatHeader,
  formatRows,
  type LatencyRow,
  mergeRows,
  rowsByRoute,
} from './latency-table.ts';
import type { LoadReport } from './load.ts';

/** The results of a run. */
export interface Outcome {
  /** Taken after the service closed. */
  readonly snapshot: Snapshot;
  /** The routes in display order. */
  readonly labels: readonly string[];
  readonly load: LoadReport;
  readonly answersToOthers: ReadonlyMap<number, number>;
  /** The counts on `/metrics` at the end, by status code. */
  readonly scraped: ReadonlyMap<number, number>;
  readonly seconds: number;
}

/** Formats the whole run: by route, merged, and as a percentile distribution. */
export function formatWholeRun({ snapshot, labels, load, seconds }: Outcome): string {
  const routes = rowsByRoute(snapshot, labels);
  const all = mergeRows('all routes', routes);
  if (all.histogram === undefined) return 'no requests were counted\n';
  const client: LatencyRow = { label: 'as the client saw them', histogram: load.latency };
  return lines(
    'The whole run:',
    '',
    formatHeader('time', 'route'),
    // Bounded: the demo has a few routes.
    ...formatRows(`${seconds.toFixed(1)} s`, [...routes, all, client]),
    '',
    'Percentile distribution of all routes, in milliseconds:',
    '',
    formatPercentiles(all.histogram, { ticksPerHalfDistance: 2, valueScale: 1e6 }).trimEnd(),
  );
}

/** Whether all parties have the same counts, for each status code. */
export function isReconciled(outcome: Outcome): boolean {
  return tally(outcome).every(isEqual);
}

/** Formats the counts of the same requests by each party. */
export function formatTally(outcome: Outcome): string {
  const rows = tally(outcome);
  const withOthers = outcome.answersToOthers.size > 0;
  const line = (label: string, counts: readonly string[]): string =>
    label.padEnd(22) + counts.map((count) => count.padStart(13)).join('');
  const cells = ({ client, others, counted, scraped }: Counts): string[] =>
    [client, ...(withOthers ? [others] : []), counted, scraped].map(formatCount);
  const total = rows.reduce(plus, NOTHING);
  return lines(
    line('answers by status', ['load client', ...(withOthers ? ['others got'] : []), 'counted', '/metrics']),
    // Bounded: answers have a few statuses.
    ...rows.map((row) => line(String(row.status), cells(row))),
    line('total', cells(total)),
    '',
    verdict(outcome, rows),
  );
}

interface Counts {
  readonly client: number;
  readonly others: number;
  readonly counted: number;
  readonly scraped: number;
}

const NOTHING: Counts = { client: 0, others: 0, counted: 0, scraped: 0 };

function tally({
  snapshot,
  load,
  answersToOthers,
  scraped,
}: Outcome): (Counts & { readonly status: number })[] {
  const counted = countsByStatus(snapshot);
  const statuses = new Set(
    [load.answers, answersToOthers, counted, scraped].flatMap((counts) => [...counts.keys()]),
  );
  return [...statuses]
    .sort((a, b) => a - b)
    .map((status) => ({
      status,
      client: load.answers.get(status) ?? 0,
      others: answersToOthers.get(status) ?? 0,
      counted: counted.get(status) ?? 0,
      scraped: scraped.get(status) ?? 0,
    }));
}

function isEqual({ client, others, counted, scraped }: Counts): boolean {
  return client + others === counted && counted === scraped;
}

function plus(a: Counts, b: Counts): Counts {
  return {
    client: a.client + b.client,
    others: a.others + b.others,
    counted: a.counted + b.counted,
    scraped: a.scraped + b.scraped,
  };
}

function verdict({ load }: Outcome, rows: readonly Counts[]): string {
  if (rows.every(isEqual)) return 'equal: every answer was counted once, and is on /metrics';
  const cause = load.errors === 0 ? '' : `; the load client had ${load.errors} failed or timed-out requests`;
  return `NOT EQUAL${cause}`;
}

function lines(...all: string[]): string {
  return `${all.join('\n')}\n`;
}
