/** What a formatter prints. Objects are entries: names that look like integers keep their place. */
export type DocumentValue = string | number | bigint | DocumentObject | DocumentArray | DocumentCells;

export interface DocumentObject {
  readonly entries: readonly (readonly [name: string, value: DocumentValue])[];
  /** Whether this object stands in the document many times, always as deep: then it is written once. */
  readonly isRepeated?: boolean;
}

export interface DocumentArray {
  readonly items: readonly DocumentValue[];
  /** What XML calls each item. */
  readonly itemName: string;
}

/** Counts, row by row: one level of arrays for each length, `values` of `values` of each `value`. */
export interface DocumentCells {
  readonly cells: BigUint64Array<ArrayBuffer>;
  readonly lengths: readonly number[];
}

/** The same as arrays. */
export function cellArrays({ cells, lengths }: DocumentCells): DocumentArray {
  const [length = 0, ...inner] = lengths;
  if (inner.length === 0) return { items: [...cells], itemName: 'value' };
  const step = cells.length / length;
  const items = Array.from({ length }, (_, i) =>
    cellArrays({ cells: cells.subarray(i * step, (i + 1) * step), lengths: inner }),
  );
  return { items, itemName: 'values' };
}

/** The document as plain objects. Counts that are no safe integers stay bigints. */
export function toPlain(value: DocumentValue): unknown {
  if (typeof value === 'bigint') {
    return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  }
  if (typeof value !== 'object') return value;
  if ('cells' in value) return toPlain(cellArrays(value));
  if ('items' in value) return value.items.map(toPlain);
  return Object.fromEntries(value.entries.map(([name, one]) => [name, toPlain(one)]));
}
