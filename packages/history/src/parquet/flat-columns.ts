import type { Statistics } from 'hyparquet';
import { ByteWriter } from 'hyparquet-writer';
import type { HistoryRow } from '../rows/row.ts';
import type { EncodedColumn } from './chunk.ts';
import { repeatedNumbers, TextDictionary } from './dictionary.ts';
import { encodedIntegers } from './integer-bytes.ts';
import { levelsOf } from './levels.ts';

type Rows = readonly HistoryRow[];

/** A column of texts. */
export function texts(
  name: string,
  rows: Rows,
  textOf: (row: HistoryRow) => string,
  statistics?: Statistics,
): EncodedColumn {
  const dictionary = new TextDictionary();
  const numbers = rows.map((row) => dictionary.numberOf(textOf(row)));
  const bytes = repeatedNumbers(numbers, dictionary.size);
  return {
    path: [name],
    type: 'BYTE_ARRAY',
    statistics,
    dictionary: { size: dictionary.size, bytes: dictionary.bytes() },
    pages: [{ values: rows.length, encoding: 'RLE_DICTIONARY', sections: [bytes] }],
  };
}

/** The keys or the values of the attributes. */
export function attributeColumn(
  part: 'key' | 'value',
  rows: Rows,
  textsOf: (attributes: HistoryRow['attributes']) => readonly string[],
): EncodedColumn {
  const dictionary = new TextDictionary();
  const numbers: number[] = [];
  const lengths: number[] = [];
  // Rows of a series are neighbours, and share the object.
  let last: HistoryRow['attributes'] | undefined;
  let ofSeries: number[] = [];
  for (const { attributes } of rows) {
    if (attributes !== last) ofSeries = textsOf(attributes).map((text) => dictionary.numberOf(text));
    last = attributes;
    lengths.push(ofSeries.length);
    for (const number of ofSeries) numbers.push(number);
  }
  const levels = levelsOf(lengths);
  const bytes = repeatedNumbers(numbers, dictionary.size);
  return {
    path: ['attributes', 'key_value', part],
    type: 'BYTE_ARRAY',
    dictionary: { size: dictionary.size, bytes: dictionary.bytes() },
    pages: [{ values: levels.values, encoding: 'RLE_DICTIONARY', sections: [levels.bytes, bytes] }],
  };
}

/** A column of integers. */
export function integers(
  name: string,
  type: 'INT32' | 'INT64',
  rows: Rows,
  integerOf: (row: HistoryRow) => number,
  statistics?: Statistics,
): EncodedColumn {
  const { encoding, bytes } = encodedIntegers(rows.map(integerOf));
  return { path: [name], type, statistics, pages: [{ values: rows.length, encoding, sections: [bytes] }] };
}

/** A column of doubles. Most are integers: the low bytes of these are 0, and take hardly any place. */
export function doubles(name: string, rows: Rows, doubleOf: (row: HistoryRow) => number): EncodedColumn {
  const writer = new ByteWriter(8 * rows.length);
  for (const row of rows) writer.appendFloat64(doubleOf(row));
  const sections = [writer.getBytes()];
  return { path: [name], type: 'DOUBLE', pages: [{ values: rows.length, encoding: 'PLAIN', sections }] };
}
