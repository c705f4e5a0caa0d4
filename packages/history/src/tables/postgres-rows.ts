import { Slices } from '@hdrscope/kit';
import type { HistoryRow } from '../rows/row.ts';
import { formatExemplars } from '../rows/row-exemplars.ts';
import { DIALECTS } from '../sql/dialects.ts';

/** A column of an insert. */
interface InsertedColumn {
  readonly name: string;
  /** The type in which values are sent. */
  readonly type: 'text' | 'bigint' | 'double precision' | 'integer';
  /** The value of a row as an element of an array literal. */
  readonly of: (row: HistoryRow) => string;
  /** The value of the column, of the value that was sent. @default the value that was sent */
  readonly as?: (sent: string) => string;
}

const { name: quotedName, time } = DIALECTS.postgres;

const INSERTED: readonly InsertedColumn[] = [
  { name: 'metric', type: 'text', of: ({ metric }) => element(metric) },
  { name: 'unit', type: 'text', of: ({ unit }) => element(unit) },
  {
    name: 'attributes',
    type: 'text',
    of: ({ attributes }) => element(jsonOf(attributes)),
    as: (sent) => `${sent}::jsonb`,
  },
  { name: 'start', type: 'bigint', of: ({ startMs }) => String(startMs), as: time },
  { name: 'end', type: 'bigint', of: ({ endMs }) => String(endMs), as: time },
  { name: 'producer', type: 'text', of: ({ producer }) => element(producer) },
  { name: 'sequence', type: 'bigint', of: ({ sequence }) => String(sequence) },
  { name: 'count', type: 'bigint', of: ({ count }) => String(count) },
  { name: 'sum', type: 'double precision', of: ({ sum }) => String(sum) },
  { name: 'min', type: 'double precision', of: ({ min }) => String(min) },
  { name: 'max', type: 'double precision', of: ({ max }) => String(max) },
  { name: 'scale', type: 'double precision', of: ({ scale }) => String(scale) },
  { name: 'bits', type: 'integer', of: ({ bits }) => String(bits) },
  // Arrays of arrays have one length for all, so the lists of slots are texts on the way.
  { name: 'k', type: 'text', of: ({ k }) => `"{${k.join(',')}}"`, as: (sent) => `${sent}::integer[]` },
  { name: 'c', type: 'text', of: ({ c }) => `"{${c.join(',')}}"`, as: (sent) => `${sent}::bigint[]` },
  { name: 'version', type: 'integer', of: ({ version }) => String(version) },
  { name: 'w', type: 'text', of: ({ w }) => `"{${w.join(',')}}"`, as: (sent) => `${sent}::integer[]` },
  { name: 'sum_below', type: 'double precision', of: ({ margins }) => String(margins?.sumBelow ?? 0) },
  { name: 'sum_above', type: 'double precision', of: ({ margins }) => String(margins?.sumAbove ?? 0) },
  { name: 'min_above', type: 'double precision', of: ({ margins }) => String(margins?.minAbove ?? 0) },
  { name: 'max_below', type: 'double precision', of: ({ margins }) => String(margins?.maxBelow ?? 0) },
  { name: 'revision', type: 'bigint', of: ({ revision = 0 }) => String(revision) },
  { name: 'exemplars', type: 'text', of: ({ exemplars }) => element(formatExemplars(exemplars)) },
];

/** The statement that inserts the rows of `insertedArrays` into a table. Rows that the table has are left out. */
export function insertSql(table: string): string {
  const sent = INSERTED.map(({ name }) => quotedName(name));
  const values = INSERTED.map(({ as = (same: string) => same }, i) => as(sent[i]!));
  const arrays = INSERTED.map(({ type }, i) => `$${i + 1}::${type}[]`);
  return `INSERT INTO ${table} (${sent.join(', ')})
SELECT ${values.join(', ')}
FROM unnest(${arrays.join(', ')}) AS row(${sent.join(', ')})
ON CONFLICT DO NOTHING`;
}

// Such a row takes as long as many others.
const SLOTS_OF_A_LONG_ROW = 2000;

/** The parameters of `insertSql`: for each column the literal of an array with the values of all rows. Other work runs in between. */
export async function insertedArrays(rows: readonly HistoryRow[]): Promise<string[]> {
  const columns = INSERTED.map((): string[] => []);
  const slices = new Slices();
  for (const row of rows) {
    for (const [i, { of }] of INSERTED.entries()) columns[i]!.push(of(row));
    if (row.k.length >= SLOTS_OF_A_LONG_ROW || slices.isOver()) await slices.next();
  }
  return columns.map((values) => `{${values.join(',')}}`);
}

function jsonOf(attributes: HistoryRow['attributes']): string {
  return JSON.stringify(
    Object.fromEntries(Object.entries(attributes).map(([key, value]) => [storable(key), storable(value)])),
  );
}

/** A text as an element of an array literal: https://www.postgresql.org/docs/15/arrays.html#ARRAYS-IO */
function element(text: string): string {
  return `"${storable(text).replace(/["\\]/g, '\\$&')}"`;
}

/** PostgreSQL has no U+0000. One text that has it would keep all rows of its insert out of the table. */
function storable(text: string): string {
  return text.replaceAll('\0', '\ufffd');
}
