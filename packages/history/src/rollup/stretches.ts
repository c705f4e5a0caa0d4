import { createHash } from 'node:crypto';
import { compareRows, seriesKey } from '../parquet/order.ts';
import { mergeRows } from '../rows/merge-rows.ts';
import { FORMAT_VERSION, type HistoryRow } from '../rows/row.ts';

// Rows that wait to be added up, of one series and stretch.
const MOST_WAITING = 256;

/**
 * The rows of stretches of time: for each series, unit and scale the sum of all rows that start in a stretch. A row has the same producer
 * and sequence whenever it is made: the producer is named by the length of stretches and the series, and the sequence is the start of the
 * stretch.
 *
 * @param rows In the order of a file, each once. Memory holds those of one series and stretch, added up at times.
 * @returns In the order of a file.
 */
export async function* rowsOfStretches(
  rows: AsyncIterable<HistoryRow>,
  everyMs: number,
): AsyncGenerator<HistoryRow, void, undefined> {
  const stretchOf = ({ startMs }: HistoryRow): number => startMs - (startMs % everyMs);
  let key = '';
  let startMs = 0;
  /** By unit and scale. */
  let sums = new Map<string, StretchSum>();
  const finished = (): HistoryRow[] =>
    [...sums.values()].flatMap((sum) => sum.finished() ?? []).sort(compareRows);
  for await (const row of rows) {
    const rowKey = seriesKey(row);
    if (rowKey !== key || stretchOf(row) !== startMs) {
      yield* finished();
      sums = new Map();
      key = rowKey;
      startMs = stretchOf(row);
    }
    const form = JSON.stringify([row.unit, row.scale]);
    const sum = sums.get(form) ?? new StretchSum(row, startMs, everyMs, key + form);
    sums.set(form, sum);
    sum.add(row);
  }
  yield* finished();
}

/** The sum of the rows of one series, unit and scale in one stretch. */
class StretchSum {
  readonly #identity: Omit<HistoryRow, keyof ReturnType<typeof mergeRows>>;
  #waiting: HistoryRow[] = [];

  constructor({ metric, attributes }: HistoryRow, startMs: number, everyMs: number, key: string) {
    const producer = `${rollupProducer(everyMs)} ${shortHash(key)}`;
    const endMs = startMs + everyMs;
    this.#identity = {
      metric,
      attributes,
      startMs,
      endMs,
      producer,
      sequence: startMs,
      version: FORMAT_VERSION,
    };
  }

  add(row: HistoryRow): void {
    this.#waiting.push(row);
    if (this.#waiting.length === MOST_WAITING) this.#waiting = [this.#sum()];
  }

  /** `undefined` when no row has values. */
  finished(): HistoryRow | undefined {
    const sum = this.#sum();
    return sum.count === 0 ? undefined : sum;
  }

  #sum(): HistoryRow {
    return { ...this.#identity, ...mergeRows(this.#waiting) };
  }
}

/** How the producers of rollups begin, and the name of their files. */
export function rollupProducer(everyMs: number): string {
  return `rollup ${everyMs}`;
}

/** 64 bits of a hash, in hexadecimal digits. */
function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
