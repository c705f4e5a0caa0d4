import type { Axis } from '@hdrscope/ceph';

/** The index of an axis, by its name or by a part of its name that no other axis has; `undefined` when there is no such axis. */
export function findAxis(axes: readonly Axis[], name: string): number | undefined {
  const exact = axes.findIndex((axis) => axis.name === name);
  if (exact >= 0) return exact;
  const matches = [...axes.keys()].filter((at) => axes[at]!.name.toLowerCase().includes(name.toLowerCase()));
  return matches.length === 1 ? matches[0] : undefined;
}

/** The names of axes for messages: `"Latency (usec)", "Request size (bytes)"`. */
export function axisNames(axes: readonly Axis[]): string {
  return axes.map(({ name }) => JSON.stringify(name)).join(', ');
}
