import type { Axis } from '@hdrscope/ceph';

/** The place of an axis: by its name, or by a part of it that no other has. `undefined` where there is none. */
export function findAxis(axes: readonly Axis[], name: string): number | undefined {
  const exact = axes.findIndex((axis) => axis.name === name);
  if (exact >= 0) return exact;
  const similar = [...axes.keys()].filter((at) => axes[at]!.name.toLowerCase().includes(name.toLowerCase()));
  return similar.length === 1 ? similar[0] : undefined;
}

/** For messages: `"Latency (usec)", "Request size (bytes)"`. */
export function axisNames(axes: readonly Axis[]): string {
  return axes.map(({ name }) => JSON.stringify(name)).join(', ');
}
