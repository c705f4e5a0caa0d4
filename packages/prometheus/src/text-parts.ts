import type { Labels } from './labels.ts';

/** What both text formats write alike. */

/** A float, as Go and JavaScript both read it. */
export function numberText(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return '+Inf';
  return value === Number.NEGATIVE_INFINITY ? '-Inf' : `${value}`;
}

/** `a="1",b="2"`, without braces. */
export function labelsText(labels: Labels): string {
  let text = texts.get(labels);
  if (text === undefined) {
    text = labels.map(([name, value]) => `${name}="${escapedValue(value)}"`).join(',');
    texts.set(labels, text);
  }
  return text;
}

const texts = new WeakMap<Labels, string>();

/** In braces, with one more label where one is given; '' where there is none. */
export function inBraces(labels: string, more = ''): string {
  if (labels === '' && more === '') return '';
  return labels === '' || more === '' ? `{${labels}${more}}` : `{${labels},${more}}`;
}

/** Of a label: backslash, line feed and quote have an escape, everything else stands for itself. */
export function escapedValue(value: string): string {
  return /[\\\n"]/.test(value)
    ? value.replace(/[\\\n"]/g, (found) => (found === '\n' ? '\\n' : `\\${found}`))
    : value;
}
