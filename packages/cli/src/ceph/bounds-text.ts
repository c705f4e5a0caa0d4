import type { Axis } from '@hdrscope/ceph';
import type { Bounds } from '@hdrscope/ceph/internal';
import { formatValue } from '@hdrscope/plot';

/** `400 to 800 µs`, `1.64 s or more`, or `-` when no value was counted. */
export function formatBounds({ lower, upper }: Bounds, { unit = 'none' }: Pick<Axis, 'unit'>): string {
  if (Number.isNaN(lower)) return '-';
  const [from, to] = [lower, upper].map((bound) => (bound === 0 ? '0' : formatValue(bound, unit)));
  if (lower === Number.NEGATIVE_INFINITY) return upper === Number.POSITIVE_INFINITY ? 'any' : `below ${to}`;
  if (upper === Number.POSITIVE_INFINITY) return `${from} or more`;
  // Ceph counts integers, and such a slot has only one.
  if (from === to || (unit === 'none' && upper - lower === 1 && Number.isInteger(lower))) return from!;
  const [, amount, name] = /^(\S+)( \S+)$/.exec(from!) ?? [];
  return name !== undefined && to!.endsWith(name) ? `${amount} to ${to}` : `${from} to ${to}`;
}
