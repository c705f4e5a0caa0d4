import { wellFormed } from '../rows/attribute-texts.ts';
import { loweredPercentile } from '../rows/percentiles.ts';
import { LAST_TICK } from '../rows/slots.ts';
import { crossesSql, type Stretches, stretchStartSql } from '../stretches.ts';
import { type Dialect, infinity } from './dialects.ts';
import type { CheckedQuestion } from './question.ts';
import type { RowSource } from './row-source.ts';
import { ticksInUnit, ticksPerUnit } from './slot-sql.ts';

// Names of columns inside a statement. None is that of a function: ClickHouse puts the expressions of names into other expressions.
const groupColumn = (i: number): string => `g${i + 1}`;
const slotColumn = (i: number): string => `slot_${i + 1}`;
const lastSlotColumn = (i: number): string => `last_slot_${i + 1}`;

/** The columns of a row with its figures, as `FIGURE_TOTALS` takes them. Tables and files of version 1 may have no margins. */
export function figureColumns({ name }: Dialect): string[] {
  const margin = (column: string): string => `coalesce(${column}, 0)`;
  return [
    `${name('count')} AS row_count`,
    `${name('sum')} AS row_sum`,
    `${name('min')} AS row_min`,
    `${name('max')} AS row_max`,
    `${margin('sum_below')} AS row_below`,
    `${margin('sum_above')} AS row_above`,
    `${name('min')} + ${margin('min_above')} AS row_min_upper`,
    `${name('max')} - ${margin('max_below')} AS row_max_lower`,
  ];
}

/** The weight of a row in a file. Tables have none: nothing that is asked of them takes values for independent. */
export const WEIGHT_COLUMN = 'coalesce(weight, 1) AS row_weight';
/** The weight of several rows. */
export const WEIGHT_TOTAL = 'max(row_weight)';

/** The figures of several rows with values, in ticks: the names of their columns, and how they are made of `figureColumns`. */
const TOTALS = {
  count_n: 'sum(row_count)',
  sum_n: 'sum(row_sum)',
  min_n: 'min(row_min)',
  max_n: 'max(row_max)',
  below_n: 'sum(row_below)',
  above_n: 'sum(row_above)',
  min_upper_n: 'min(row_min_upper)',
  max_lower_n: 'max(row_max_lower)',
} as const;

export const FIGURES = Object.keys(TOTALS) as readonly (keyof typeof TOTALS)[];

/** The columns `FIGURES` of a group of rows with values. */
export const FIGURE_TOTALS: string = Object.entries(TOTALS)
  .map(([name, total]) => `${total} AS ${name}`)
  .join(', ');

/** The columns of `figureColumns` for a part of a group: `FIGURE_TOTALS` of the parts are those of the group. */
export const PART_TOTALS: string = Object.values(TOTALS)
  .map((total) => `${total} AS ${total.slice(total.indexOf('(') + 1, -1)}`)
  .join(', ');

/** The columns that an answer has besides those of its groups. */
interface AnswerColumns {
  /**
   * The columns of a percentile, of the first and the last slot that it may lie in. It may use `bits`, and `per_unit`, the number of
   * ticks in the unit.
   */
  readonly ofPercentile: (percentile: number, first: string, last: string) => readonly string[];
  /** The stretches of time of the answer; `undefined` when the whole time is one. */
  readonly stretches: Stretches | undefined;
  /** Whether there are the columns `FIGURES`, and `is_wide`: 1 when a value may lie in several slots, otherwise 0. @default false */
  readonly hasFigures?: boolean;
}

/**
 * A statement whose rows have the columns `group1`, …; `start_ms`; `crossing_count`; `unit`, `scale`, `bits`; `count`, `sum`, `min`, `max` and their bounds
 * `sum_lower`, `sum_upper`, `min_upper`, `max_lower`; and those that are asked for.
 *
 * Each group and stretch of time has a number, `id`, by which its slots are added: texts are compared once for each row, and not for each slot.
 *
 * Series without a key of `by` are a group of their own. Inside, the value of a key is a text that begins with `=`, and no value is an
 * empty text: NULLs are equal to nothing, so they would get lost where two parts are joined.
 */
export function statementOf(
  question: CheckedQuestion,
  source: RowSource,
  dialect: Dialect,
  { ofPercentile, hasFigures = false, stretches }: AnswerColumns,
): string {
  const { percentiles, by } = question;
  const { text, name, double } = dialect;
  const literal = (value: string): string => text(wellFormed(value));
  const attribute = (key: string): string => dialect.attribute(literal(key));
  const groups = by.map((_, i) => groupColumn(i));
  const keys = [...groups, 't', 'unit', 'scale'];
  const columns = [
    ...by.map(
      (key, i) =>
        `CASE WHEN ${attribute(key)} IS NULL THEN '' ELSE concat('=', ${attribute(key)}) END AS ${groupColumn(i)}`,
    ),
    ...stretchColumns(stretches, dialect),
    'unit',
    'scale',
    'bits',
    ...figureColumns(dialect),
    'k',
    'c',
    'w',
  ];
  const key = keys.join(', ');
  const rankOf = (percentile: number): string =>
    `greatest(${double('1')}, ceil(${double(`'${loweredPercentile(percentile)}'`)} * ${double('count_n')} / 100))`;
  const inGroup = keys.map((one) => `totals.${one} = asked.${one}`).join(' AND ');
  const { hasWidths } = source;
  const first = dialect.shiftRight('slot', 'cut');
  const last = hasWidths ? dialect.shiftRight('slot_to', 'cut') : first;
  // As many values lie below the end of a rank as ends are below it, wherever the slots begin, and the other way round.
  const upTo = (order: string): string =>
    double(
      `sum(slot_n) OVER (PARTITION BY id ORDER BY ${order} ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)`,
    );
  const inUnit = (ticks: string): string => ticksInUnit(ticks, 'scale', 'per_unit');
  const facts = ['id', ...keys, 'bits', ...FIGURES, 'crossing_n'];
  const ofTotals = facts.map((fact) => `totals.${fact}`).join(', ');
  return `WITH asked AS ${dialect.readTwice}(
  ${dialect.once(columns.join(', '), source, `${hasValues(source, dialect)} AND ${conditionOf(question, dialect, source)}`)}
), totals AS (
  SELECT row_number() OVER (ORDER BY ${key}) AS id, ${key}, min(bits) AS bits,
    ${FIGURE_TOTALS}, sum(row_crossing) AS crossing_n
  FROM asked GROUP BY ${key}
), numbered AS (
  SELECT totals.id AS id, asked.bits - totals.bits AS cut, k, c, w
  FROM asked JOIN totals ON ${inGroup}
), merged AS (
  SELECT id, ${first} AS place, ${last} AS end_place, sum(n) AS slot_n
  FROM ${slotsOf('numbered', source, dialect)} GROUP BY ${hasWidths ? `id, ${first}, ${last}` : `id, ${first}`}
), ranked AS (
  SELECT id, place, end_place, ${upTo('place, end_place')} AS upto${hasWidths ? `, ${upTo('end_place, place')} AS end_upto` : ''}
  FROM merged
), found AS (
  SELECT ${facts.map((fact) => `totals.${fact} AS ${fact}`).join(', ')}, ${ticksPerUnit('scale')} AS per_unit${percentiles
    .map(
      (percentile, i) =>
        `,\n    min(CASE WHEN upto >= ${rankOf(percentile)} THEN place END) AS ${slotColumn(i)}${
          hasWidths
            ? `,\n    min(CASE WHEN end_upto >= ${rankOf(percentile)} THEN end_place END) AS ${lastSlotColumn(i)}`
            : ''
        }`,
    )
    .join(
      '',
    )}${hasFigures ? `,\n    ${hasWidths ? 'max(CASE WHEN end_place > place THEN 1 ELSE 0 END)' : '0'} AS is_wide` : ''}
  FROM ranked JOIN totals ON ranked.id = totals.id GROUP BY ${ofTotals}
)
SELECT ${[
    ...groups.map(
      (group, i) => `CASE WHEN ${group} = '' THEN NULL ELSE substr(${group}, 2) END AS group${i + 1}`,
    ),
    `${stretches === undefined ? 'NULL' : 't'} AS start_ms`,
    'unit',
    'scale',
    'bits',
    `count_n AS ${name('count')}`,
    ...['sum', 'min'].map((fact) => `${inUnit(`${fact}_n`)} AS ${name(fact)}`),
    `CASE WHEN ${IS_ENDLESS} THEN ${infinity(dialect)} ELSE ${inUnit('max_n')} END AS ${name('max')}`,
    'crossing_n AS crossing_count',
    ...Object.entries(BOUNDS).map(([bound, ticks]) => `${inUnit(ticks)} AS ${bound}`),
    ...(hasFigures ? [...FIGURES, 'is_wide'] : []),
    ...percentiles.flatMap((percentile, i) =>
      ofPercentile(percentile, slotColumn(i), hasWidths ? lastSlotColumn(i) : slotColumn(i)),
    ),
  ].join(',\n  ')}
FROM found
ORDER BY ${key}`;
}

/**
 * The columns `t`, the start of the stretch in which a row starts, and `row_crossing`: its values, if the row reaches over the end of this
 * stretch. Both are 0 when the whole time is one stretch.
 */
export function stretchColumns(stretches: Stretches | undefined, { ms, name }: Dialect): string[] {
  if (stretches === undefined) return ['0 AS t', '0 AS row_crossing'];
  const [start, end] = [ms(name('start')), ms(name('end'))];
  const crossing = `CASE WHEN ${crossesSql(stretches, start, end)} THEN ${name('count')} ELSE 0 END`;
  return [`${stretchStartSql(stretches, start)} AS t`, `${crossing} AS row_crossing`];
}

/** Whether the largest value may lie in a bucket without an end, as `figureBounds` says. */
const IS_ENDLESS = `max_n >= ${LAST_TICK} AND max_lower_n < max_n`;

/** The bounds of figures, in ticks. */
const BOUNDS = {
  sum_lower: '(sum_n - below_n)',
  sum_upper: '(sum_n + above_n)',
  min_upper: 'min_upper_n',
  max_lower: 'max_lower_n',
} as const;

/** A FROM clause of the slots of rows: see `Dialect`. */
export function slotsOf(
  rows: string,
  { hasWidths }: RowSource,
  { slots, narrowSlots = slots }: Dialect,
): string {
  return hasWidths ? slots(rows) : narrowSlots(rows);
}

/** The condition of rows with values. */
export function hasValues(source: Pick<RowSource, 'mayLackColumns'>, dialect: Dialect): string {
  return orLacking('count', `${dialect.name('count')} > 0`, source, dialect);
}

/** A condition that also holds where a file lacks its column: comparisons leave such rows out, and `refuseNulls` would not see them. */
function orLacking(
  column: string,
  condition: string,
  { mayLackColumns }: Pick<RowSource, 'mayLackColumns'>,
  { name, refuseNulls }: Dialect,
): string {
  return mayLackColumns && refuseNulls !== undefined
    ? `(${condition} OR ${name(column)} IS NULL)`
    : condition;
}

/**
 * The condition of the rows that a question asks for. Without a metric, it holds for rows of all metrics. Where files may lack columns, such
 * a row is an error of the engine.
 *
 * @param source @default rows that have all columns
 */
export function conditionOf(
  {
    metric,
    where,
    ...span
  }: Pick<CheckedQuestion, 'where' | 'sinceMs' | 'untilMs'> & { readonly metric?: string | undefined },
  dialect: Dialect,
  source: Pick<RowSource, 'mayLackColumns'> = { mayLackColumns: false },
): string {
  const literal = (value: string): string => dialect.text(wellFormed(value));
  return [
    // By these two, engines leave out whole parts of files, so they stay as they are: rows without a metric or a time are of no other one.
    metric === undefined ? 'TRUE' : `metric = ${literal(metric)}`,
    ...spanConditions(span, dialect),
    ...where.map(([key, value]) =>
      orLacking('attributes', `${dialect.attribute(literal(key))} = ${literal(value)}`, source, dialect),
    ),
    ...(source.mayLackColumns && dialect.refuseNulls !== undefined ? [dialect.refuseNulls()] : []),
  ].join(' AND ');
}

/** The conditions of the rows whose intervals start in a span of time. */
export function spanConditions(
  { sinceMs, untilMs }: Pick<CheckedQuestion, 'sinceMs' | 'untilMs'>,
  { name, time }: Dialect,
): string[] {
  const start = name('start');
  return [
    ...(sinceMs === undefined ? [] : [`${start} >= ${time(String(Math.ceil(sinceMs)))}`]),
    ...(untilMs === undefined ? [] : [`${start} < ${time(String(Math.ceil(untilMs)))}`]),
  ];
}
