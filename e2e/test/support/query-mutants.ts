/** A query with one mistake. */
export interface QueryMutant {
  /** What is wrong. */
  readonly mistake: string;
  readonly query: string;
}

/** What a mistake replaces, and by what; the replacement may decline by returning the text. */
type Mistake = readonly [mistake: string, place: RegExp, replace: (...groups: string[]) => string];

const MISTAKES: readonly Mistake[] = [
  [
    'another quantile',
    /(histogram_quantile\s*\(\s*)(0?\.\d+|\$?\w+)(?=\s*,)/g,
    (_, call, quantile) => `${call}${quantile === '0.9' ? '0.95' : '0.9'}`,
  ],
  ['a lost matcher', /(?<=[{,]\s*)\w+\s*(?:=~|!~|!=|=)\s*"(?:[^"\\]|\\.)*"\s*,?/g, () => ''],
  [
    'a turned matcher',
    /(\w+\s*)(=~|!~|!=|=)(?=\s*")/g,
    (_, label, operator) => `${label}${TURNED[operator!]}`,
  ],
  ['another window', /\[(\w+)\](?!\s*\))|\[(\w+)\]/g, () => '[11m]'],
  ['a window that is a little shorter', /\[5m\]/g, () => '[4m]'],
  ['a lost grouping', /\s*\b(?:by|without)\s*\([^()]*\)/g, () => ''],
  ['a lost label of a grouping', /(\b(?:by|without|on|ignoring)\s*\()\s*\w+\s*,/g, (_, head) => head!],
  ['another label of a grouping', /(\b(?:by|on)\s*\()\s*\w+(?=\s*[,)])/g, (_, head) => `${head}another`],
  [
    'another bound',
    /(histogram_fraction\s*\(\s*-Inf,\s*)([\d.e+]+)/g,
    (_, call, bound) => `${call}${bound === '0.25' ? '0.5' : '0.25'}`,
  ],
  [
    'a fraction of the others',
    /(histogram_fraction\s*\(\s*)-Inf,\s*([\d.e+]+)/g,
    (_, call, bound) => `${call}${bound}, +Inf`,
  ],
  ['a sum for a mean', /\bhistogram_avg\b/g, () => 'histogram_sum'],
  ['a sum for a count', /\bhistogram_count\b/g, () => 'histogram_sum'],
  ['a count for a sum', /\bhistogram_sum\b/g, () => 'histogram_count'],
  ['an increase for a rate', /\brate(?=\s*\()/g, () => 'increase'],
  ['the last rate for a rate', /\brate(?=\s*\()/g, () => 'irate'],
  ['a rate for an increase', /\bincrease(?=\s*\()/g, () => 'rate'],
  ['a mean for a sum', /\bsum(?=\s*(?:by|without|\())/g, () => 'avg'],
  ['a lost offset', /\boffset\s+-?\w+/g, () => ''],
  ['an added offset', /\](?!\s*offset)/g, () => '] offset 2m'],
  ['another factor', /(?<=[*/]\s*)\d+(?:\.\d+)?\b/g, (number) => `${Number(number) * 2 + 1}`],
  ['another operator', /\)\s*([-+*/])\s*(?=[\w(])/g, (_, operator) => `) ${operator === '+' ? '-' : '+'} `],
  [
    'a turned comparison',
    /(?<![=!~<>])([<>])(=?)(?=\s*(?:bool\b|[\w($-]))/g,
    (_, operator) => (operator === '<' ? '>' : '<'),
  ],
  [
    'another number',
    /\b(topk|bottomk)(\s*(?:by\s*\([^()]*\)\s*)?\(\s*)\d+/g,
    (_, name, head) => `${name}${head}1000`,
  ],
];

const TURNED: Readonly<Record<string, string>> = { '=': '!=', '!=': '=', '=~': '!~', '!~': '=~' };

/** Makes all queries that differ by one mistake in one place. */
export function listMutants(query: string): QueryMutant[] {
  const mutants = new Map<string, QueryMutant>();
  for (const [mistake, place, replace] of MISTAKES) {
    for (const match of query.matchAll(place)) {
      const text = replace(...(match as unknown as string[]));
      const changed = query.slice(0, match.index) + text + query.slice(match.index + match[0].length);
      if (changed !== query && !mutants.has(changed)) mutants.set(changed, { mistake, query: changed });
    }
  }
  return [...mutants.values()];
}
