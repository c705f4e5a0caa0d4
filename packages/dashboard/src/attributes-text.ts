import type { Attributes } from '@hdrscope/registry';

/** Attributes as people read them, by key: `method=GET, route=/search`. */
export function attributesText(attributes: Attributes): string {
  return Object.keys(attributes)
    .sort()
    .map((key) => `${key}=${valueText(attributes[key])}`)
    .join(', ');
}

function valueText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(valueText).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return String(value);
  try {
    return JSON.stringify(value);
  } catch {
    // It holds a cycle or a bigint.
    return 'an object';
  }
}
