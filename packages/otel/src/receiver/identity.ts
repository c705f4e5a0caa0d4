import type { Attributes } from '@hdrscope/registry';

/** A text that is equal for equal sets of attributes, in any order, and only for these. */
export function identityText(attributes: Attributes): string {
  const texts: string[] = [];
  for (const key of Object.keys(attributes)) {
    const value = attributes[key];
    if (value !== undefined) texts.push(`${JSON.stringify(key)}:${valueText(value)}`);
  }
  return `{${texts.sort().join()}}`;
}

/** Like JSON, but with NaN and the infinities, which JSON lacks. */
function valueText(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value !== 'object' || value === null) return String(value);
  if (Array.isArray(value)) return `[${value.map(valueText).join()}]`;
  return identityText(value as Attributes);
}
