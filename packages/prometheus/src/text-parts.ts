import type { Labels } from './families.ts';

// The parts that both text formats write alike.

/** A number in a form that Go and JavaScript both read. */
export function numberText(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return '+Inf';
  return value === Number.NEGATIVE_INFINITY ? '-Inf' : `${value}`;
}

/** `a="1",b="2"`, without braces. */
export function labelsText(labels: Labels): string {
  return labels.map(([name, value]) => `${name}="${escapedValue(value)}"`).join(',');
}

/** Puts labels and one more label, if given, in braces. Without any label, the text is empty. */
export function inBraces(labels: string, more = ''): string {
  if (labels === '' && more === '') return '';
  return labels === '' || more === '' ? `{${labels}${more}}` : `{${labels},${more}}`;
}

/** Escapes the value of a label: backslash, line feed and quote. */
export function escapedValue(value: string): string {
  return /[\\\n"]/.test(value)
    ? value.replace(/[\\\n"]/g, (found) => (found === '\n' ? '\\n' : `\\${found}`))
    : value;
}
