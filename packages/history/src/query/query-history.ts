import type { Bounds } from '@hdrscope/core';
import {
  assertOptions,
  callback,
  integer,
  mustBe,
  type OptionsOwner,
  resolutionOf,
} from '@hdrscope/core/internal';
import { fileError } from '../errors.ts';
import { figureBounds, marginsProperty } from '../rows/margins.ts';
import { type PercentileValue, valueAt } from '../rows/percentiles.ts';
import type { Distribution } from '../rows/row.ts';
import { DIALECTS } from '../sql/dialects.ts';
import { type CheckedQuestion, checkedQuestion, type HistoryQuestion } from '../sql/question.ts';
import type { RowSource } from '../sql/row-source.ts';
import { type FIGURES, statementOf } from '../sql/statement.ts';
import { findStretch, listStretches, type Stretches } from '../stretches.ts';
import { type Engine, startDuckDb } from './duckdb.ts';
import { type FileSpan, filesOf, type Span, spanOfFiles, statesOf } from './folder-files.ts';
import { MOST_CACHED, rowSourceOf } from './row-sources.ts';
import { type DamagedFile, damagedError, findDamaged } from './whole-files.ts';

/** One group of series in one stretch of time. */
export interface HistoryGroup {
  /** The values of the keys of `by`; a key that the series do not have is absent. */
  readonly attributes: Readonly<Record<string, string>>;
  /** Begin of the stretch of time, in milliseconds since 1970; `undefined` without `everyMs` and `every`. */
  readonly startMs: number | undefined;
  /** Its end, in milliseconds since 1970; `undefined` with `startMs`. */
  readonly endMs: number | undefined;
  /**
   * How many values are of intervals that reach over the end of the stretch: some of them may be of a later one. 0 without stretches.
   */
  readonly crossingCount: number;
  /** UCUM code of the unit of all values. */
  readonly unit: string;
  /** The value of one tick, in the unit. */
  readonly scale: number;
  /** The bits of a slot number: those of the coarsest row. */
  readonly bits: number;
  /** How many values there are. */
  readonly count: number;
  /** The sum of the values: an estimate where counts came without their sums. `mean` has the bounds of what it may be. */
  readonly sum: number;
  /** Bounds of the mean, in the unit. Both are equal when all counts came with their sums. */
  readonly mean: Bounds;
  /** Bounds of the smallest value, in the unit. Both are equal when it is known. */
  readonly min: Bounds;
  /** Bounds of the largest value, in the unit. Both are equal when it is known; the upper one is `Infinity` when nobody knows an end. */
  readonly max: Bounds;
  /** Whether a value may lie in more than one slot, because values were counted in wider buckets. */
  readonly isWide: boolean;
  /** One for each percentile, in the order of the question. */
  readonly percentiles: readonly PercentileValue[];
}

/** How DuckDB may work. */
export interface QueryOptions {
  /** Threads of DuckDB: an integer of at least 1. @default as many as the machine has processors */
  readonly threads?: number;
  /** Memory of DuckDB in bytes: an integer of at least 2^24. @default 80 % of the machine's */
  readonly memoryBytes?: number;
  /**
   * Called with each damaged file, which is left out of the answer. It is called again when another part of the answer, or another
   * attempt, meets the file.
   * @default a damaged file is an error
   */
  readonly onDamaged?: (file: DamagedFile) => void;
}

const OWNER: OptionsOwner<QueryOptions> = {
  name: 'queryHistory',
  names: {
    threads: integer({ from: 1 }),
    memoryBytes: { ...integer({ from: 2 ** 24 }), allowed: 'an integer of at least 2^24' },
    onDamaged: callback(),
  },
  call: "queryHistory('history', { metric: 'http.duration' }, { threads: 2 })",
};

const TRIES = 3;
const REPLACED = `its files were replaced while they were read, ${TRIES} times one after the other: ask again`;

/**
 * Answers a question about the files of a folder with DuckDB, in this process. All counts are merged inside the engine, in its own
 * threads. Needs the package `@duckdb/node-api`.
 *
 * @param folder The folder that `openHistory` writes. Only the days that the question asks for are read.
 * @returns One entry for each group and stretch of time that has values, ordered by group and time. Units and scales of one metric have
 *   entries of their own.
 * @throws HdrscopeError `ERR_INVALID_OPTION` and `ERR_INVALID_VALUE` as `historySql`; `ERR_HISTORY_FILE` when the folder cannot be listed,
 *   a file is damaged, or files are replaced again and again while they are read; `ERR_HISTORY_ENGINE` when DuckDB is not installed or
 *   cannot read a file.
 */
export async function queryHistory(
  folder: string,
  question: HistoryQuestion,
  options: QueryOptions = {},
): Promise<HistoryGroup[]> {
  const checked = checkedQuestion(question);
  const { division } = checked;
  let stretches: Stretches | undefined;
  const rows = await askFolder(folder, checked, options, (source, span) => {
    stretches = division && listStretches(division, span.sinceMs, span.untilMs);
    return statementOf(checked, source, DIALECTS.duckdb, {
      stretches,
      ofPercentile: (percentile, first, last) => {
        const at = checked.percentiles.indexOf(percentile);
        return [`${first} AS first_${at}`, `${last} AS last_${at}`];
      },
      hasFigures: true,
    });
  });
  return rows.map((row) => groupOf(row, checked, stretches));
}

/**
 * The rows of a statement about the files of a folder. When a file is removed by `compactHistory` or replaced by `rollUpHistory` meanwhile,
 * the statement is asked again: it reads files twice.
 *
 * @param span Only the days between these times are read.
 * @param statement Makes the statement, from SQL that stands for all rows, and the time in which these start.
 * @param engines Of the same options. @default an engine for this statement
 * @returns No rows when the folder has no files of these days.
 * @throws HdrscopeError `ERR_INVALID_OPTION`, `ERR_HISTORY_ENGINE`; `ERR_HISTORY_FILE`, also when files are replaced at each attempt.
 */
export async function askFolder(
  folder: string,
  span: Span,
  options: QueryOptions,
  statement: (source: RowSource, span: FileSpan) => string,
  engines?: Engines,
): Promise<Record<string, unknown>[]> {
  if (typeof folder !== 'string' || folder === '') {
    throw mustBe('ERR_INVALID_OPTION', 'folder', 'the path of a folder', folder);
  }
  const own = engines ?? new Engines(options);
  for (let attempt = 1; ; attempt++) {
    const { files, states: before } = await wholeFiles(folder, span, options);
    if (files.length === 0) return [];
    const answer = await own
      .use(files.length, async ({ run }) =>
        run(statement(await rowSourceOf(files, run), spanOfFiles(files, span))),
      )
      .catch((error: unknown) => ({ error }));
    if (engines === undefined) own.close();
    const after = await statesOf(files);
    const isReplaced = after.some((state, i) => state !== undefined && state !== before[i]);
    const isRemoved = after.includes(undefined);
    // An answer stays right when files are removed: they were read before, and the file that has their rows now was not.
    const isDoubtful = isReplaced || (isRemoved && 'error' in answer);
    if (isDoubtful && attempt < TRIES) continue;
    if ('error' in answer) throw answer.error;
    if (isReplaced) throw fileError('read', folder, new Error(REPLACED));
    return answer;
  }
}

/** The engines of some statements, one after the other. */
export class Engines {
  readonly #settings: Readonly<Record<string, string>>;
  /** The one that runs. */
  #engine: Engine | undefined;
  /** How many files it has read. */
  #files = 0;

  /** @throws HdrscopeError `ERR_INVALID_OPTION` */
  constructor(options: QueryOptions) {
    this.#settings = settingsOf(options);
  }

  /** Does work with an engine, and starts another one when this one would keep too much of the files that it has read. */
  async use<T>(files: number, work: (engine: Engine) => Promise<T>): Promise<T> {
    if (this.#files + files > MOST_CACHED) this.close();
    this.#engine ??= await startDuckDb(this.#settings);
    this.#files += files;
    return work(this.#engine);
  }

  close(): void {
    this.#engine?.close();
    this.#engine = undefined;
    this.#files = 0;
  }
}

/** The files that can be read, and their states when that was found. */
async function wholeFiles(
  folder: string,
  span: Span,
  { onDamaged }: QueryOptions,
): Promise<{ readonly files: string[]; readonly states: (string | undefined)[] }> {
  const found = await filesOf(folder, span);
  const states = await statesOf(found);
  const damaged = await findDamaged(found, states);
  const [first, ...others] = damaged;
  if (first !== undefined && onDamaged === undefined) throw damagedError(folder, [first, ...others]);
  for (const file of damaged) onDamaged?.(file);
  const leftOut = new Set(damaged.map(({ path }) => path));
  const isRead = (_: unknown, at: number): boolean => !leftOut.has(found[at]!);
  return { files: found.filter(isRead), states: states.filter(isRead) };
}

/** @throws HdrscopeError `ERR_INVALID_OPTION` */
function settingsOf(options: QueryOptions): Record<string, string> {
  assertOptions(options, OWNER);
  const { threads, memoryBytes } = options;
  return {
    // All that a question needs is built in, so nothing is to be fetched.
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    // Bytes of files are read twice at most, and the system caches them too.
    enable_external_file_cache: 'false',
    ...(threads !== undefined && { threads: String(threads) }),
    ...(memoryBytes !== undefined && { memory_limit: `${memoryBytes}B` }),
  };
}

function groupOf(
  row: Record<string, unknown>,
  { by, percentiles }: CheckedQuestion,
  stretches: Stretches | undefined,
): HistoryGroup {
  const [scale, bits] = [Number(row.scale), Number(row.bits)];
  const resolution = resolutionOf(scale);
  const startMs = row.start_ms === null ? undefined : Number(row.start_ms);
  const keys = by.map((key, i) => [key, row[`group${i + 1}`]] as const).filter(([, value]) => value !== null);
  return {
    attributes: Object.fromEntries(keys) as Record<string, string>,
    startMs,
    endMs:
      startMs === undefined || stretches === undefined ? undefined : findStretch(stretches, startMs).endMs,
    crossingCount: Number(row.crossing_count),
    unit: String(row.unit),
    scale,
    bits,
    count: Number(row.count),
    sum: Number(row.sum),
    ...figureBounds({ scale, ...figuresOfTotals(row) }),
    isWide: Number(row.is_wide) > 0,
    percentiles: percentiles.map((percentile, i) =>
      valueAt(percentile, Number(row[`first_${i}`]), Number(row[`last_${i}`]), bits, resolution),
    ),
  };
}

/** The figures of a row with the columns `FIGURES`. */
export function figuresOfTotals(
  row: Record<string, unknown>,
): Pick<Distribution, 'count' | 'sum' | 'min' | 'max' | 'margins'> {
  const figure = (name: (typeof FIGURES)[number]): number => Number(row[name]);
  const [min, max] = [figure('min_n'), figure('max_n')];
  return {
    count: figure('count_n'),
    sum: figure('sum_n'),
    min,
    max,
    ...marginsProperty({
      sumBelow: figure('below_n'),
      sumAbove: figure('above_n'),
      minAbove: figure('min_upper_n') - min,
      maxBelow: max - figure('max_lower_n'),
    }),
  };
}
