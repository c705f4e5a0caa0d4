import { createHash } from 'node:crypto';
import { type HistoryRow, mergeRows } from '@hdrscope/history';

/** The rows of one stretch of time: one for each series with values. */
export type RowGroup = readonly HistoryRow[];

/** The sum of two rows of a series and stretch. */
export function addedRows(sum: HistoryRow, row: HistoryRow): HistoryRow {
  // Rows of one producer and sequence would count once.
  const both = mergeRows([sum, { ...row, sequence: row.sequence + 1 }]);
  return {
    ...sum,
    ...both,
    startMs: Math.min(sum.startMs, row.startMs),
    endMs: Math.max(sum.endMs, row.endMs),
  };
}

/** Stands for the producer until the series of a row is known. */
export const PLACEHOLDER = 'import';

/** The producers of the rows of an import, by series: rows of a second import are the rows of the first. */
export class Producers {
  readonly #identity: () => string;
  readonly #known = new Map<string, string>();

  /** @param identity The identity of what is imported. It is called when rows are made. */
  constructor(identity: () => string) {
    this.#identity = identity;
  }

  /** The producer of the series of a row. */
  of({ metric, unit, attributes }: HistoryRow): string {
    const key = JSON.stringify([metric, unit, attributes]);
    const producer = this.#known.get(key) ?? `import ${this.#identity()} ${shortHash(key)}`;
    this.#known.set(key, producer);
    return producer;
  }
}

const HEX_DIGITS = 16;

/** 64 bits of a hash, in hexadecimal digits. */
export function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, HEX_DIGITS);
}
