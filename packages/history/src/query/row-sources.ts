import { dirname } from 'node:path';
import {
  parsedRanges,
  prefixOf,
  ROWS_KEY,
  type RowRanges,
  type SequenceRange,
} from '../parquet/row-ranges.ts';
import { ADDED_COLUMNS } from '../parquet/schema.ts';
import { DIALECTS } from '../sql/dialects.ts';
import type { RowSource } from '../sql/row-source.ts';
import type { RunSql } from './duckdb.ts';

/** An engine keeps the metadata of so many files at most. Those of a file take up to a megabyte of memory. */
export const MOST_CACHED = 64;

/**
 * The rows of files, those apart that may be in several of them. A file whose metadata say which rows it has is compared with the
 * others; without, all files of its folder may have its rows.
 */
export async function rowSourceOf(files: readonly string[], run: RunSql): Promise<RowSource> {
  // The next statement reads the ends of the files again.
  if (files.length <= MOST_CACHED) await run('SET parquet_metadata_cache = true');
  const found = new Map(
    (await run(rangesStatement(files))).map(({ path, text, row_count, added }) => [
      String(path),
      {
        ranges: text === null ? undefined : parsedRanges(String(text), Number(row_count)),
        added: String(added),
      },
    ]),
  );
  const repeated = sharingFiles(files.map((path) => ({ path, rows: found.get(path)?.ranges })));
  const addedOf = (path: string): string => found.get(path)?.added ?? '';
  const mayHaveWidths = (path: string): boolean =>
    addedOf(path).split(' ').includes('w') && found.get(path)?.ranges?.isNarrow !== true;
  const sourceOf = (some: readonly string[]): string | undefined =>
    some.length === 0 ? undefined : filesSource(some, addedOf);
  return {
    all: filesSource(files, addedOf),
    distinct: sourceOf(files.filter((path) => !repeated.has(path))),
    repeated: sourceOf(files.filter((path) => repeated.has(path))),
    hasWidths: files.some(mayHaveWidths),
    mayLackColumns: false,
  };
}

/**
 * A FROM clause of DuckDB: the rows of some files.
 *
 * @param addedOf Which of `ADDED_COLUMNS` a file has.
 */
function filesSource(files: readonly string[], addedOf: (path: string) => string): string {
  const parts = [...new Set(files.map(addedOf))].map((added) => {
    const names = added.split(' ');
    const missing = Object.entries(ADDED_COLUMNS).filter(([name]) => !names.includes(name));
    const columns = ['*', ...missing.map(([name, value]) => `${value} AS ${name}`)].join(', ');
    const some = listOf(files.filter((path) => addedOf(path) === added));
    return `SELECT ${columns} FROM read_parquet(${some}, hive_partitioning = false)`;
  });
  return `(${parts.join(' UNION ALL BY NAME ')})`;
}

function listOf(files: readonly string[]): string {
  // Names of files are patterns too.
  return `[${files.map((file) => DIALECTS.duckdb.text(file.replace(/[[*?]/g, '[$&]'))).join(', ')}]`;
}

function rangesStatement(files: readonly string[]): string {
  const list = listOf(files);
  const added = Object.keys(ADDED_COLUMNS).map((name) => `'${name}'`);
  return `SELECT file.file_name AS path, any_value(file.num_rows) AS row_count, any_value(decode(entry.value)) AS text,
  coalesce(string_agg(DISTINCT column_of.name, ' ' ORDER BY column_of.name) FILTER (WHERE column_of.name IN (${added})), '') AS added
FROM parquet_file_metadata(${list}) AS file JOIN parquet_schema(${list}) AS column_of ON file.file_name = column_of.file_name
  LEFT JOIN parquet_kv_metadata(${list}) AS entry
  ON file.file_name = entry.file_name AND entry.key = encode('${ROWS_KEY}')
GROUP BY file.file_name`;
}

/** A file, and its rows as far as they are known. */
export interface FileRows {
  readonly path: string;
  readonly rows: RowRanges | undefined;
}

/** The paths of the files that may share rows with another file, or have a row twice. */
export function sharingFiles(files: readonly FileRows[]): Set<string> {
  const unknownFolders = new Set(
    files.filter(({ rows }) => rows === undefined).map(({ path }) => dirname(path)),
  );
  const sharing = new Set(files.map(({ path }) => path).filter((path) => unknownFolders.has(dirname(path))));
  for (const kind of kindsOf(files)) addOverlapping(kind, sharing);
  return sharing;
}

interface FileRange extends SequenceRange {
  readonly path: string;
}

/** Ranges that overlap when their sequences do: those of one producer, or of all producers with a prefix where a range has these. */
function kindsOf(files: readonly FileRows[]): FileRange[][] {
  const all = files.flatMap(({ path, rows }) => (rows?.ranges ?? []).map((range) => ({ ...range, path })));
  const prefixes = new Set(all.filter(({ isPrefix }) => isPrefix).map(({ producer }) => producer));
  const kinds = new Map<string, FileRange[]>();
  for (const range of all) {
    const prefix = range.isPrefix ? range.producer : prefixOf(range.producer);
    const key = JSON.stringify(prefixes.has(prefix) ? { prefix } : { producer: range.producer });
    const kind = kinds.get(key);
    if (kind === undefined) kinds.set(key, [range]);
    else kind.push(range);
  }
  return [...kinds.values()];
}

/** Adds the files of ranges that overlap with one before them, by their first sequence, and those of the latter. */
function addOverlapping(ranges: FileRange[], sharing: Set<string>): void {
  ranges.sort((a, b) => a.first - b.first);
  let farthest: FileRange | undefined;
  for (const range of ranges) {
    if (farthest !== undefined && range.first <= farthest.last) sharing.add(range.path).add(farthest.path);
    if (farthest === undefined || range.last > farthest.last) farthest = range;
  }
}
