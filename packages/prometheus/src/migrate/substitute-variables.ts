import { boundMatcher } from '../rules/promql.ts';

/** A variable of Grafana or of a template. */
export const VARIABLE: RegExp = /\$\w+|\$\{[^{}"]*\}|\[\[\w+\]\]|\{\{[^{}"]*\}\}/;
const MATCHER = /(=~|!~|!=|=)(\s{0,9})("(?:[^"\\]|\\[\s\S])*"?)/g;
const DURATION =
  /(\[|:|\boffset\s)(\s{0,9})(?:\$\w+|\$\{[^{}"]*\}|\[\[\w+\]\]|\{\{[^{}"]*\}\})(?:ms|[smhdwy])?/g;
/** Prometheus 3 writes whole bounds with `.0`, and Prometheus 2 as they came. */
const BOUND = /\ble\s{0,9}=\s{0,9}"(\d{1,20}(?:\.\d{1,20})?)"/g;

/** The duration that variables stand for. */
const DURATION_VALUE = '5m';

/**
 * A query with values in place of the variables of Grafana and of templates: all values in matchers, and five minutes in durations.
 * `undefined` where a variable stands for something else.
 *
 * @param bindMatcher Writes a matcher whose value has variables, without its label. @default it takes all values
 */
export function substituteVariables(
  query: string,
  bindMatcher: (operator: string, value: string, blank: string) => string = matchAll,
): string | undefined {
  const matched = query
    .replace(MATCHER, (matcher, operator: string, blank: string, value: string) =>
      VARIABLE.test(value) ? bindMatcher(operator, value, blank) : matcher,
    )
    .replace(BOUND, (_, bound: string) => boundMatcher(Number(bound)))
    .replace(DURATION, (_, before: string, blank: string) => `${before}${blank}${DURATION_VALUE}`);
  return VARIABLE.test(removeStrings(matched)) ? undefined : matched;
}

function matchAll(_operator: string, _value: string, blank: string): string {
  return `=~${blank}".*"`;
}

function removeStrings(query: string): string {
  return query.replace(/"(?:[^"\\]|\\[\s\S])*"?|'(?:[^'\\]|\\[\s\S])*'?|`[^`]*`?/g, '""');
}

const RATE_OR_RANGE =
  /("(?:[^"\\]|\\[\s\S])*"?|'(?:[^'\\]|\\[\s\S])*'?|`[^`]*`?)|\b(?:rate|increase|irate)(?=\s{0,9}\()|\[[^[\]:]*\]/g;

/** A query for the counts whose rates a query asks for. `undefined` for one that reads ranges in another way. */
export function removeRates(query: string): string | undefined {
  const text = query.replace(RATE_OR_RANGE, (_, string?: string) => string ?? '');
  return /_over_time|\[/.test(removeStrings(text)) ? undefined : text;
}
