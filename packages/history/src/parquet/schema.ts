import type { SchemaElement } from 'hyparquet';

/** The names of the columns, in the order of the schema. */
export const COLUMNS = [
  'metric',
  'unit',
  'attributes',
  'start',
  'end',
  'producer',
  'sequence',
  'count',
  'sum',
  'min',
  'max',
  'scale',
  'bits',
  'k',
  'c',
  'version',
  'w',
  'sum_below',
  'sum_above',
  'min_above',
  'max_below',
  'revision',
  'exemplars',
] as const;

/** The columns that a file may lack, as those of version 1 do, and their values there in the SQL of DuckDB. */
export const ADDED_COLUMNS = {
  w: '[]::INTEGER[]',
  sum_below: '0::DOUBLE',
  sum_above: '0::DOUBLE',
  min_above: '0::DOUBLE',
  max_below: '0::DOUBLE',
  revision: '0::BIGINT',
  exemplars: "''",
  weight: '1::BIGINT',
} as const;

/** The columns that every file has. */
export const REQUIRED_COLUMNS: readonly string[] = COLUMNS.filter(
  (column) => !Object.hasOwn(ADDED_COLUMNS, column),
);

/** Columns that only files of rollups over attributes have. */
export const SERIES_COLUMNS = ['series', 'series_above'] as const;

/** The column that only files with samples have. */
export const WEIGHT = 'weight';

/** Columns that a file may have besides those of every file. */
export const MORE_COLUMNS: readonly string[] = [...SERIES_COLUMNS, WEIGHT];

/** The schema of a file that has some of `MORE_COLUMNS`. */
export function schemaWith(names: readonly string[]): SchemaElement[] {
  const [root, ...columns] = SCHEMA as [SchemaElement, ...SchemaElement[]];
  const more = names.map((name) => required(name, 'INT64'));
  return [{ ...root, num_children: COLUMNS.length + more.length }, ...columns, ...more];
}

/**
 * The schema of a file of rows. Nothing in it is nullable. Lists and maps have three levels, which all engines read:
 * https://github.com/apache/parquet-format/blob/master/LogicalTypes.md#nested-types
 */
const SCHEMA: SchemaElement[] = [
  { name: 'row', num_children: COLUMNS.length },
  text('metric'),
  text('unit'),
  {
    name: 'attributes',
    num_children: 1,
    repetition_type: 'REQUIRED',
    converted_type: 'MAP',
    logical_type: { type: 'MAP' },
  },
  { name: 'key_value', num_children: 2, repetition_type: 'REPEATED' },
  text('key'),
  text('value'),
  timestamp('start'),
  timestamp('end'),
  text('producer'),
  required('sequence', 'INT64'),
  required('count', 'INT64'),
  required('sum', 'DOUBLE'),
  required('min', 'DOUBLE'),
  required('max', 'DOUBLE'),
  required('scale', 'DOUBLE'),
  required('bits', 'INT32'),
  ...list('k', 'INT32'),
  ...list('c', 'INT64'),
  required('version', 'INT32'),
  ...list('w', 'INT32'),
  required('sum_below', 'DOUBLE'),
  required('sum_above', 'DOUBLE'),
  required('min_above', 'DOUBLE'),
  required('max_below', 'DOUBLE'),
  required('revision', 'INT64'),
  text('exemplars'),
];

function required(name: string, type: 'INT32' | 'INT64' | 'DOUBLE' | 'BYTE_ARRAY'): SchemaElement {
  return { name, type, repetition_type: 'REQUIRED' };
}

function text(name: string): SchemaElement {
  return { ...required(name, 'BYTE_ARRAY'), converted_type: 'UTF8', logical_type: { type: 'STRING' } };
}

/** In microseconds, as Iceberg asks: its reader in Spark compares statistics in milliseconds with times in microseconds. */
function timestamp(name: string): SchemaElement {
  return {
    ...required(name, 'INT64'),
    converted_type: 'TIMESTAMP_MICROS',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' },
  };
}

function list(name: string, type: 'INT32' | 'INT64'): SchemaElement[] {
  return [
    {
      name,
      num_children: 1,
      repetition_type: 'REQUIRED',
      converted_type: 'LIST',
      logical_type: { type: 'LIST' },
    },
    { name: 'list', num_children: 1, repetition_type: 'REPEATED' },
    required('element', type),
  ];
}
