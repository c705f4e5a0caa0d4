import { formatValue } from '@hdrscope/plot';
import type { FamilyFacts } from '../src/messages.ts';

/** `1,234/s`, with as many digits as are of use. */
export function rateText(perSecond: number): string {
  if (perSecond === 0) return '-';
  const rounded = perSecond >= 100 ? Math.round(perSecond) : Number(perSecond.toPrecision(3));
  return `${rounded.toLocaleString('en-US')}/s`;
}

/** A value in people's units; one of a unit that has none is a number, whose unit stands beside the family. */
export function valueText(value: number | undefined, { counted }: FamilyFacts): string {
  return value === undefined ? '-' : formatValue(value, counted);
}

/** `12:04:30`, where the person is. */
export function clockText(ms: number): string {
  return new Date(ms).toLocaleTimeString('en-GB');
}
