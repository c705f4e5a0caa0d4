import { exchanged, type PooledEnds, totalOf } from './pooled.ts';

/** Counts before and after, of some series or of all. */
export interface TwoSides {
  readonly before: PooledEnds;
  readonly after: PooledEnds;
}

/**
 * The counts after, had the values of a part been distributed as before: its counts before, scaled to its number of values after. A part
 * without values before gets the distribution of the whole.
 */
export function withOldShape(whole: TwoSides, part: TwoSides): PooledEnds {
  const now = totalOf(part.after.first);
  const own = totalOf(part.before.first);
  const old = own > 0 ? part.before : whole.before;
  const factor = now / (own > 0 ? own : totalOf(whole.before.first));
  return exchanged(whole.after, part.after, old, factor);
}

/**
 * The counts after, had a part kept its share of all values: its values after, scaled to its share before. A part without values after
 * gets those before. `undefined` when the part has all values of a side, so that the others cannot fill the rest.
 */
export function withOldShare(whole: TwoSides, part: TwoSides): PooledEnds | undefined {
  const [then, now] = [totalOf(part.before.first), totalOf(part.after.first)];
  const [othersThen, othersNow] = [totalOf(whole.before.first) - then, totalOf(whole.after.first) - now];
  if (!(othersThen > 0 && othersNow > 0)) return undefined;
  const wanted = (then / othersThen) * othersNow;
  const shape = now > 0 ? part.after : part.before;
  const factor = wanted / (now > 0 ? now : then);
  return exchanged(whole.after, part.after, shape, factor);
}
