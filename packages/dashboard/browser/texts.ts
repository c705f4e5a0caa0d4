import { formatValue } from '@hdrscope/plot';
import type { FamilyFacts, TableMessage } from '../src/messages.ts';

/** A rate: `1,234/s`, with three digits below 100. */
export function rateText(perSecond: number): string {
  if (perSecond === 0) return '-';
  const rounded = perSecond >= 100 ? Math.round(perSecond) : Number(perSecond.toPrecision(3));
  return `${rounded.toLocaleString('en-US')}/s`;
}

/** A value in a unit that people read, or a bare number when plots do not know the unit. */
export function valueText(value: number | undefined, { counted }: FamilyFacts): string {
  return value === undefined ? '-' : formatValue(value, counted);
}

/** The local time of the reader: `12:04:30`. */
export function clockText(ms: number): string {
  return new Date(ms).toLocaleTimeString('en-GB');
}

/** What the server has refused: `refused by this server: 3 (token), 1 (connections)`. Empty when it has refused nothing. */
export function refusalsText(refusals: TableMessage['refusals']): string {
  if (refusals.length === 0) return '';
  return `refused by this server: ${refusals.map(([reason, count]) => `${count} (${reason})`).join(', ')}`;
}
