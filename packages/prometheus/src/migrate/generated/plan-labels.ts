import { CHOSEN, OTHER } from './bind-query.ts';
import { isMatch, listExamples } from './example-texts.ts';
import type { LabelMatcher, QueryReading, ReadSelector, UniqueLabels } from './read-series.ts';

/** The labels of a series by their names. A label without a value is left out. */
export type LabelSet = ReadonlyMap<string, string>;

/** For rows of series, which of its values each label has: any two patterns put the rows into groups of two in different ways. */
const PATTERNS: readonly (readonly number[])[] = [
  [0, 0, 1, 1, 2],
  [0, 1, 0, 1, 2],
  [0, 1, 1, 0, 2],
];
const ROWS = PATTERNS[0]!.length;
/** A matcher may choose statuses, so these are among the values that nothing states. */
const COMMON_VALUES: readonly string[] = [...CHOSEN, OTHER, '200', '500', 'x', '0', ''];

/**
 * Plans the labels of generated series, which all metrics of a query share, so that joins find partners: for each selector rows that it
 * chooses, and for each of its matchers a row that only this matcher leaves out.
 *
 * @param options.isSimple Whether a selector chooses only one row, which has no labels besides those that the query names.
 */
export function planLabels(
  { selectors, labels, patterns }: QueryReading,
  { isSimple }: { readonly isSimple: boolean },
): LabelSet[] {
  const matchers = [...selectors.flatMap((one) => one.matchers), ...patterns];
  const pools = new Map([...labels].sort().map((label) => [label, listValues(label, matchers)]));
  const rows = new Map<string, LabelSet>();
  const add = (row: LabelSet | undefined): void => {
    if (row !== undefined) rows.set(JSON.stringify([...row]), row);
  };
  for (const selector of selectors) {
    const fitting = chooseFitting(pools, selector, selectors);
    if (fitting === undefined) continue;
    const chosen = makeRows(fitting, isSimple);
    for (const row of chosen) add(row);
    for (const matcher of selector.matchers)
      for (const row of chosen.slice(0, 2)) add(miss(row, matcher, selector, pools));
  }
  return [...rows.values()];
}

function listValues(label: string, matchers: readonly LabelMatcher[]): string[] {
  const own = matchers.filter((one) => one.label === label);
  const examples = own.flatMap(({ operator, value }) =>
    operator === '=' || operator === '!=' ? [value] : listExamples(value),
  );
  return [...new Set([...examples, ...COMMON_VALUES])];
}

/** The values of each label that a selector takes, first those that other selectors take, too. `undefined` where it takes none of a label. */
function chooseFitting(
  pools: ReadonlyMap<string, readonly string[]>,
  selector: ReadSelector,
  selectors: readonly ReadSelector[],
): Map<string, readonly string[]> | undefined {
  const fitting = new Map<string, readonly string[]>();
  for (const [label, pool] of pools) {
    const rank = (value: string): number => selectors.filter((one) => accepts(one, label, value)).length;
    const ranked = pool
      .filter((value) => accepts(selector, label, value))
      .map((value) => ({ value, rank: rank(value) - (value === '' ? 0.5 : 0) }))
      .sort((a, b) => b.rank - a.rank);
    if (ranked.length === 0) return undefined;
    fitting.set(
      label,
      ranked.slice(0, PATTERNS.length).map(({ value }) => value),
    );
  }
  return fitting;
}

function accepts({ matchers }: Pick<ReadSelector, 'matchers'>, label: string, value: string): boolean {
  return matchers.every((matcher) => matcher.label !== label || acceptsValue(matcher, value));
}

function acceptsValue({ operator, value: wanted }: LabelMatcher, value: string): boolean {
  if (operator === '=') return value === wanted;
  if (operator === '!=') return value !== wanted;
  const isFound = isMatch(wanted, value);
  return isFound !== undefined && isFound === (operator === '=~');
}

/** Labels that no query names keep rows apart, so that an aggregation has something to add up. */
const OWN_LABELS = ['hdrscope_a', 'hdrscope_b', 'hdrscope_c'] as const;

function makeRows(fitting: ReadonlyMap<string, readonly string[]>, isSimple: boolean): LabelSet[] {
  const varied = [...fitting].filter(([, values]) => values.length > 1).length;
  const own = isSimple ? [] : OWN_LABELS.slice(0, Math.max(1, PATTERNS.length - varied));
  const all = [...fitting, ...own.map((label) => [label, [...CHOSEN, OTHER]] as const)];
  return Array.from({ length: isSimple ? 1 : ROWS }, (_, row) => {
    let at = 0;
    return new Map(
      all.flatMap(([label, values]) => {
        const pattern = PATTERNS[values.length > 1 ? at++ % PATTERNS.length : 0]!;
        const value = values[pattern[row]! % values.length]!;
        return value === '' ? [] : [[label, value] as const];
      }),
    );
  });
}

/** A row that a selector would choose without one of its matchers. */
function miss(
  row: LabelSet,
  matcher: LabelMatcher,
  { matchers }: ReadSelector,
  pools: ReadonlyMap<string, readonly string[]>,
): LabelSet | undefined {
  const { label } = matcher;
  const others = { matchers: matchers.filter((one) => one !== matcher) };
  const missed = pools
    .get(label)!
    .find((value) => !acceptsValue(matcher, value) && accepts(others, label, value));
  if (missed === undefined) return undefined;
  const changed = new Map(row);
  if (missed === '') changed.delete(label);
  else changed.set(label, missed);
  return changed;
}

/** The rows of a metric: of those that one selector chooses, only one for each value of labels that must be unique. */
export function chooseRows(rows: readonly LabelSet[], selectors: readonly ReadSelector[]): LabelSet[] {
  const taken = new Set<string>();
  return rows.filter((row) => {
    const keys = selectors.flatMap((selector, at) =>
      [...selector.matchers.map(({ label }) => label)].every((label) =>
        accepts(selector, label, row.get(label) ?? ''),
      )
        ? selector.unique.map((unique) => `${at} ${projectRow(row, unique)}`)
        : [],
    );
    if (keys.some((key) => taken.has(key))) return false;
    for (const key of keys) taken.add(key);
    return true;
  });
}

function projectRow(row: LabelSet, { isOn, labels }: UniqueLabels): string {
  return JSON.stringify([
    isOn,
    ...labels,
    [...row].filter(([label]) => labels.includes(label) === isOn).sort(),
  ]);
}
