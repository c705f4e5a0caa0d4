import type { Attributes } from '@hdrscope/registry';

/** A text that two sets of attributes share exactly when they are equal, in whichever order they came. */
export function identityText(attributes: Attributes): string {
  const texts: string[] = [];
  for (const key of Object.keys(attributes)) {
    const value = attributes[key];
    if (value !== undefined) texts.push(`${JSON.stringify(key)}:${valueText(value)}`);
  }
  return `{${texts.sort().join()}}`;
}

/** Not JSON, which has no NaN and no infinities. */
function valueText(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value !== 'object' || value === null) return String(value);
  if (Array.isArray(value)) return `[${value.map(valueText).join()}]`;
  return identityText(value as Attributes);
}
