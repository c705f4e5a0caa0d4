import { resolutionOf } from '@hdrscope/core/internal';
import fc from 'fast-check';
import { type HistoryRow, mergeRows, percentilesOf } from '../../src/index.ts';
import { boundsOfSlots } from '../../src/rows/slots.ts';
import type { DialectName } from '../../src/sql/dialects.ts';
import { rowsOfHosts } from './merged-series.ts';
import { groupedBy } from './recorded.ts';

/** What tests need of an engine that has the functions of `historyFunctionsSql`. */
export interface FunctionsEngine {
  readonly dialect: DialectName;
  /** Gives the engine these rows only. Returns a FROM clause. */
  store(rows: readonly HistoryRow[]): Promise<string>;
  ask(sql: string): Promise<Record<string, unknown>[]>;
}

/** The columns of a row, as functions of an engine take them. */
function rowArguments(dialect: DialectName): string {
  return dialect === 'spark' ? 'collect_list(struct(k, c, w, bits, scale))' : 'k, c, w, bits, scale';
}

const PERCENTILES = [0, 50, 99.9, 100];
const percentile = fc.integer({ min: 0, max: 100_000 }).map((thousandths) => thousandths / 1000);
const limit = fc.oneof(
  fc.nat(1000),
  fc.double({ min: 0, max: 1e6, noNaN: true }),
  fc.constantFrom(1, 2, 4, 1e-9, 1e-6),
);

/** Expects that functions give what the library gives of the same rows. */
export async function expectFunctions(
  numRuns: number,
  { dialect, store, ask }: FunctionsEngine,
): Promise<void> {
  const row = rowArguments(dialect);
  await fc.assert(
    fc.asyncProperty(rowsOfHosts, percentile, limit, limit, async (make, p, one, other) => {
      const rows = await make();
      if (rows.length === 0) return;
      const [low, high] = one < other ? [one, other] : [other, one];
      const percentiles = [...PERCENTILES, p];
      const fields = [
        ...percentiles.flatMap((percent, i) =>
          ['lower', 'upper'].map(
            (bound) => `(hdr_percentile(${row}, ${percent})).${bound} AS p${i}_${bound}`,
          ),
        ),
        ...['k', 'c', 'w', 'bits'].map((field) => `(hdr_merge(${row})).${field} AS m_${field}`),
        ...['lower', 'upper'].map(
          (bound) => `(hdr_count_within(${row}, ${low}, ${high})).${bound} AS within_${bound}`,
        ),
      ];
      const answer = await ask(`SELECT scale, ${fields.join(', ')} FROM ${await store(rows)} GROUP BY scale`);
      const groups = groupedBy(rows, ({ scale }) => String(scale));
      expect(answer.length).toBe(groups.size);
      for (const group of answer) {
        const some = groups.get(String(group.scale))!;
        const merged = mergeRows(some);
        for (const [i, { lower, upper }] of percentilesOf(merged, percentiles).entries()) {
          expect([readBound(group[`p${i}_lower`]), readBound(group[`p${i}_upper`])]).toEqual([lower, upper]);
        }
        const numbers = (list: unknown): number[] => (list as unknown[]).map(Number);
        expect([numbers(group.m_k), numbers(group.m_c), numbers(group.m_w), group.m_bits]).toEqual([
          merged.k,
          merged.c,
          merged.w.length === 0 ? merged.k.map(() => 0) : merged.w,
          merged.bits,
        ]);
        expect([Number(group.within_lower), Number(group.within_upper)]).toEqual(
          countWithin(some, low, high),
        );
      }
    }),
    { numRuns },
  );
}

/** JSON has no infinity: ClickHouse writes null, and PostgreSQL a text. */
function readBound(bound: unknown): number {
  return bound === null ? Number.POSITIVE_INFINITY : Number(bound);
}

/** How many values lie within limits: certainly and possibly. */
function countWithin(rows: readonly HistoryRow[], low: number, high: number): [number, number] {
  let [certain, possible] = [0, 0];
  for (const { k, c, w, bits, scale } of rows) {
    for (const [i, slot] of k.entries()) {
      const { lower, upper } = boundsOfSlots(slot, slot + (w[i] ?? 0), bits, resolutionOf(scale));
      if (lower >= low && upper <= high) certain += c[i]!;
      if (upper >= low && lower <= high) possible += c[i]!;
    }
  }
  return [certain, possible];
}

/** Rows that are awkward, as literals of an engine. */
interface AwkwardRows {
  /** Two rows of scales 1e-9 and 1. */
  readonly severalScales: string;
  /** Rows of scale 1 and 7 bits, whose values are 1, 1 and 1: one has NULL for `w`, one no values. */
  readonly withoutWidths: string;
  /** A row without values. */
  readonly withoutValues: string;
}

const LITERALS: Readonly<Record<DialectName, (k: string, c: string, scale: string, w: string) => string>> = {
  duckdb: (k, c, scale, w) =>
    `SELECT [${k}]::INTEGER[] AS k, [${c}]::BIGINT[] AS c, ${w || '[]'}::INTEGER[] AS w, 7 AS bits, ${scale}::DOUBLE AS scale`,
  clickhouse: (k, c, scale) =>
    `SELECT CAST([${k}], 'Array(Int32)') AS k, CAST([${c}], 'Array(Int64)') AS c, CAST([], 'Array(Int32)') AS w, toInt32(7) AS bits, toFloat64(${scale}) AS scale`,
  postgres: (k, c, scale, w) =>
    `SELECT '{${k}}'::integer[] AS k, '{${c}}'::bigint[] AS c, ${w || "'{}'"}::integer[] AS w, 7 AS bits, ${scale}::double precision AS scale`,
  spark: (k, c, scale, w) =>
    `SELECT CAST(array(${k}) AS ARRAY<INT>) AS k, CAST(array(${c}) AS ARRAY<BIGINT>) AS c, CAST(${w || 'array()'} AS ARRAY<INT>) AS w, 7 AS bits, ${scale}D AS scale`,
};

// Names that macros could take for their own.
const RENAMED = "named_struct('k', one, 'c', n, 'w', i, 'bits', slot, 'scale', rank)";

function awkwardRows(dialect: DialectName): AwkwardRows {
  const literal = LITERALS[dialect];
  const from = (...rows: readonly string[]): string => `(${rows.join(' UNION ALL ')}) AS history`;
  // Slot of tick 1 with 7 bits.
  const one = String(1023 << 7);
  return {
    severalScales: from(literal(one, '1', '1e-9', ''), literal(one, '1', '1', '')),
    withoutWidths: from(literal(one, '2', '1', 'NULL'), literal(one, '1', '1', ''), literal('', '', '1', '')),
    withoutValues: from(literal('', '', '1', '')),
  };
}

/** Expects that functions refuse what has no answer, and take rows without widths and without values. */
export async function expectRefusals({
  dialect,
  ask,
}: Pick<FunctionsEngine, 'dialect' | 'ask'>): Promise<void> {
  const row = rowArguments(dialect);
  const { severalScales, withoutWidths, withoutValues } = awkwardRows(dialect);
  const bounds = (p: number): string =>
    `(hdr_percentile(${row}, ${p})).lower AS lower, (hdr_percentile(${row}, ${p})).upper AS upper`;
  const asked = (columns: string, from: string) => ask(`SELECT ${columns} FROM ${from}`);
  const refusal = 'rows of several scales have no common slots';
  await expect(asked(bounds(50), severalScales)).rejects.toThrow(refusal);
  await expect(asked(`(hdr_merge(${row})).k AS k`, severalScales)).rejects.toThrow(refusal);
  for (const p of [101, -1]) await expect(asked(bounds(p), withoutWidths)).rejects.toThrow();
  // There is no column of this name.
  const missing = `(hdr_percentile(${row.replace('w', 'widths')}, 50)).lower AS lower`;
  await expect(asked(missing, withoutWidths)).rejects.toThrow('widths');
  expect(await asked(bounds(99.9), withoutWidths)).toEqual([{ lower: 1, upper: 1 }]);
  const renamed = `(SELECT k AS one, c AS n, w AS i, bits AS slot, scale AS rank FROM ${withoutWidths}) AS renamed`;
  const columns = dialect === 'spark' ? row.replace(/struct\(.*?\)/, RENAMED) : 'one, n, i, slot, rank';
  const answers = `(hdr_percentile(${columns}, 50)).upper AS upper, (hdr_merge(${columns})).bits AS bits, (hdr_count_within(${columns}, 0, 1)).lower AS lower`;
  const [answer] = await asked(answers, renamed);
  expect([answer!.upper, answer!.bits, Number(answer!.lower)]).toEqual([1, 7, 3]);
  expect(await asked(bounds(99.9), withoutValues)).toEqual([{ lower: null, upper: null }]);
  const within = `(hdr_count_within(${row}, 1, 2)).lower AS lower, (hdr_count_within(${row}, 1.5, 2)).upper AS upper`;
  const [counts] = await asked(within, withoutWidths);
  expect([Number(counts!.lower), Number(counts!.upper)]).toEqual([3, 0]);
  const [none] = await asked(within, withoutValues);
  expect([Number(none!.lower), Number(none!.upper)]).toEqual([0, 0]);
  const [scalars] = await asked(
    'max(hdr_slot_start(132218, 7)) AS start, max(hdr_ticks_in_unit(250000000, 1e-9)) AS value',
    withoutValues,
  );
  expect(scalars).toEqual({ start: 1000, value: 0.25 });
}
