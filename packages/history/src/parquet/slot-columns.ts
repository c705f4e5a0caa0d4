import type { HistoryRow } from '../rows/row.ts';
import type { DataPage, EncodedColumn } from './chunk.ts';
import { basesFor } from './delta.ts';
import { CountDictionary, mixedNumbers } from './dictionary.ts';
import { assertIntegers, differencesFrom, type EncodedIntegers, encodedIntegers } from './integer-bytes.ts';
import { type Levels, levelsOf } from './levels.ts';

type Rows = readonly HistoryRow[];
type List = (row: HistoryRow) => readonly number[];

// Encoding a page of so many slots takes about 3 ms.
const SLOTS_OF_PAGE = 20_000;

/** The numbers of the slots. */
export function slots(rows: Rows): EncodedColumn {
  return {
    path: ['k', 'list', 'element'],
    type: 'INT32',
    pages: pagesOf(rows, ({ k }) => k, encodedSlots),
  };
}

function encodedSlots(values: Float64Array): EncodedIntegers {
  assertIntegers(values, 0, 2 ** 31 - 1);
  const choices = basesFor(values).map((base) => differencesFrom(base, values));
  const bytes = choices.reduce((best, one) => (one.length < best.length ? one : best));
  return { encoding: 'DELTA_BINARY_PACKED', bytes };
}

/** The widths of the slots. */
export function widths(rows: Rows): EncodedColumn {
  return {
    path: ['w', 'list', 'element'],
    type: 'INT32',
    pages: pagesOf(rows, ({ w }) => w, encodedIntegers),
  };
}

/** The counts of the slots. */
export function counts(rows: Rows): EncodedColumn {
  const [path, type] = [['c', 'list', 'element'], 'INT64'] as const;
  const dictionary = CountDictionary.of(rows);
  if (dictionary === undefined) return { path, type, pages: pagesOf(rows, ({ c }) => c, encodedIntegers) };
  const { size, bytes } = dictionary;
  const encoded = (values: Float64Array): EncodedIntegers => {
    return { encoding: 'RLE_DICTIONARY', bytes: mixedNumbers(dictionary.numbersOf(values), size) };
  };
  return { path, type, dictionary: { size, bytes }, pages: pagesOf(rows, ({ c }) => c, encoded) };
}

function* pagesOf(
  rows: Rows,
  list: List,
  encode: (values: Float64Array) => EncodedIntegers,
): Generator<DataPage> {
  for (let from = 0, to = 0; from < rows.length; from = to) {
    for (let size = 0; to < rows.length && size < SLOTS_OF_PAGE; to++) size += list(rows[to]!).length;
    const lists = rows.slice(from, to).map(list);
    const levels: Levels = levelsOf(lists.map(({ length }) => length));
    const { encoding, bytes } = encode(concatenated(lists));
    yield { values: levels.values, encoding, sections: [levels.bytes, bytes] };
  }
}

function concatenated(lists: readonly (readonly number[])[]): Float64Array {
  const all = new Float64Array(lists.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const list of lists) {
    for (let i = 0; i < list.length; i++) all[at++] = list[i]!;
  }
  return all;
}
