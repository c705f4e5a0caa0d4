import type { Bounds } from '@hdrscope/core';
import { type Pooled, type PooledEnds, type TwoSides, totalOf } from './pooled.ts';

/** Sets of series without a series in common, and all other series. */
export interface Division {
  readonly groups: readonly TwoSides[];
  readonly rest: TwoSides;
}

/** Parts of a difference that come from a group. */
export interface GroupParts {
  /** From how its values are distributed. */
  readonly values: Bounds;
  /** From its share of all values. */
  readonly share: Bounds;
}

/**
 * The part of a difference that comes from each group: from its values and from its share of all values. The parts of all groups and of
 * the rest add up to 1.
 *
 * The difference is undone step by step: the values of a group are distributed as before, its share is as before, and the values of the
 * rest are. What a step undoes depends on the steps before it, so the part of a step is its mean over all orders of the steps, which is
 * its Shapley value. Source: L. Shapley, "A value for n-person games" (1953); for decompositions A. Shorrocks, "Decomposition procedures for
 * distributional analysis", Journal of Economic Inequality 11 (2013).
 *
 * @param undone The part of the difference that is gone with other counts.
 */
export function divideDifference(division: Division, undone: (counts: PooledEnds) => Bounds): GroupParts[] {
  const steps = 2 * division.groups.length + 1;
  const all = 2 ** steps - 1;
  const gone = Array.from({ length: all + 1 }, (_, isBefore): Bounds => {
    if (isBefore === 0) return { lower: 0, upper: 0 };
    return isBefore === all ? { lower: 1, upper: 1 } : undone(countsWith(division, isBefore));
  });
  const partOf = (step: number): Bounds => {
    let [lower, upper] = [0, 0];
    for (let others = 0; others <= all; others++) {
      if ((others >> step) & 1) continue;
      const weight = weightOf(sizeOf(others), steps);
      const [without, together] = [gone[others]!, gone[others | (1 << step)]!];
      lower += weight * (together.lower - without.upper);
      upper += weight * (together.upper - without.lower);
    }
    return { lower, upper };
  };
  return division.groups.map((_, i) => ({ values: partOf(2 * i), share: partOf(2 * i + 1) }));
}

function sizeOf(set: number): number {
  let size = 0;
  for (let left = set; left > 0; left >>= 1) size += left & 1;
  return size;
}

/** The share of all orders in which exactly the steps of a set come before another step. */
function weightOf(before: number, steps: number): number {
  let weight = 1 / steps;
  for (let i = 1; i <= before; i++) weight *= i / (steps - i);
  return weight;
}

/**
 * The counts after, had some things been as before. Bit 2i of `isBefore` stands for how the values of group i are distributed, bit 2i + 1 for
 * its share of all values, and the last bit for how the values of the rest are distributed.
 */
export function countsWith({ groups, rest }: Division, isBefore: number): PooledEnds {
  const has = (bit: number): boolean => ((isBefore >> bit) & 1) === 1;
  const sizes = groups.map(({ before, after }) => ({
    before: totalOf(before.first),
    after: totalOf(after.first),
  }));
  const ofRest = { before: totalOf(rest.before.first), after: totalOf(rest.after.first) };
  const all = (side: 'before' | 'after'): number =>
    sizes.reduce((sum, size) => sum + size[side], ofRest[side]);
  const [then, now] = [all('before'), all('after')];
  const isRestBefore = has(2 * groups.length);
  const restSize = isRestBefore && ofRest.after === 0 ? (ofRest.before / then) * now : ofRest.after;
  let shares = 0;
  let others = restSize;
  for (const [i, { before, after }] of sizes.entries()) {
    if (has(2 * i + 1)) shares += before / then;
    else others += after;
  }
  // Others that had no values before have none then.
  const isAll = shares > 1 - 1e-12;
  const whole = isAll || others === 0 ? now : others / (1 - shares);
  const kept = isAll ? 0 : 1;
  const scaled = groups.map((group, i) => {
    const { before, after } = sizes[i]!;
    const size = has(2 * i + 1) ? (before / then) * whole : after * kept;
    return { shape: shapeOf(group, has(2 * i)), size };
  });
  scaled.push({ shape: shapeOf(rest, isRestBefore), size: restSize * kept });
  const sum = (end: keyof PooledEnds): Pooled => {
    const counts = new Float64Array(rest.after[end].length);
    for (const { shape, size } of scaled) {
      const factor = size / totalOf(shape[end]);
      if (size > 0) for (let at = 0; at < counts.length; at++) counts[at]! += shape[end][at]! * factor;
    }
    return counts;
  };
  const first = sum('first');
  return { first, last: rest.after.first === rest.after.last ? first : sum('last') };
}

/** The distribution of one side, or of the other one where that has no values. */
function shapeOf({ before, after }: TwoSides, isBefore: boolean): PooledEnds {
  const [wanted, other] = isBefore ? [before, after] : [after, before];
  return totalOf(wanted.first) > 0 ? wanted : other;
}
