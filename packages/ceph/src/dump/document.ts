/** What a formatter prints. Objects are entries: names that look like integers keep their place. */
export type DocumentValue = string | number | bigint | DocumentObject | DocumentArray;

export interface DocumentObject {
  readonly entries: readonly (readonly [name: string, value: DocumentValue])[];
}

export interface DocumentArray {
  readonly items: readonly DocumentValue[];
  /** What XML calls each item. */
  readonly itemName: string;
}

/** The document as plain objects. Counts that are no safe integers stay bigints. */
export function toPlain(value: DocumentValue): unknown {
  if (typeof value === 'bigint') {
    return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  }
  if (typeof value !== 'object') return value;
  if ('items' in value) return value.items.map(toPlain);
  return Object.fromEntries(value.entries.map(([name, one]) => [name, toPlain(one)]));
}
