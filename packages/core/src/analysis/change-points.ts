import { createRandom } from './random.ts';
import { studentUpperQuantile } from './student-t.ts';

/** The fewest builds in a row that make a state: fewer may be outliers. */
export const LEAST_STATE = 3;

/** A list for each figure, with an element for each build, in their order. */
export type Rows = readonly Float64Array[];

/**
 * Divides a series into states, between which its figures change.
 *
 * The strength of a split is the difference of the means on both sides of it, over windows of several lengths, in standard errors that
 * successive differences give: these know the noise whatever steps there are. The strongest split of any figure divides the series when
 * it is stronger than those of the same builds in random orders within their states, in all but `level` of the orders. That is exact
 * whatever the noise is, as long as equal builds come in any order with one probability. Then the states are divided again.
 *
 * A state has at least {@link LEAST_STATE} builds. Fewer that are high or low say nothing: they count as the next ones do.
 * Sources: T. Westfall and S. Young, "Resampling-based multiple testing" (1993), for the strongest of all figures; J. von Neumann, "Distribution of the ratio
 * of the mean square successive difference to the variance", Annals of Mathematical Statistics 12 (1941); P. Fryzlewicz, "Wild binary
 * segmentation for multiple change-point detection", Annals of Statistics 42 (2014), for windows.
 *
 * @param level The probability that equal builds are divided.
 * @returns The starts of the states, and the end of the last one.
 */
export function findStates(rows: Rows, level: number): number[] {
  const bounds = [0, rows[0]!.length];
  const random = createRandom(seedOf(rows[0]!));
  for (;;) {
    const evened = rows.map((row) => limitExtremes(row, bounds));
    const { strength, at } = strongestSplit(evened, bounds);
    if (strength === 0 || !isRare(evened, bounds, strength, level, random)) return bounds;
    bounds.push(at);
    bounds.sort((a, b) => a - b);
    settle(rows, bounds);
  }
}

/** How many builds there must be, so that a clear step in their middle is rarer than `level` by a factor of 4. */
export function leastLength(level: number): number {
  // There are n choose n/2 ways to divide n builds into a first and a second half. Two ways have all slow builds in one half.
  let [length, ways] = [2, 2];
  for (; ways * level < 8; length++) ways *= (length + 1) / (length + 1 - ((length + 1) >> 1));
  return Math.max(length, 2 * LEAST_STATE);
}

/** Sets the highest and the lowest of each state to the level that enough others have for a state. */
function limitExtremes(row: Float64Array, bounds: readonly number[]): Float64Array {
  const limited = row.slice();
  forEachState(bounds, (start, end) => {
    if (end - start < 2 * LEAST_STATE) return;
    const sorted = row.slice(start, end).sort();
    const [low, high] = [sorted[LEAST_STATE - 1]!, sorted.at(-LEAST_STATE)!];
    for (let i = start; i < end; i++) limited[i] = Math.min(Math.max(row[i]!, low), high);
  });
  return limited;
}

/**
 * The split with the greatest difference, in squares of standard errors; 0 when nothing differs.
 *
 * @param enough A strength at which the search may end.
 */
function strongestSplit(
  rows: Rows,
  bounds: readonly number[],
  enough = Number.POSITIVE_INFINITY,
): { readonly strength: number; readonly at: number } {
  let [strength, at] = [0, 0];
  const count = rows[0]!.length;
  const sums = new Float64Array(count + 1);
  for (const row of rows) {
    for (let i = 0; i < count; i++) sums[i + 1] = sums[i]! + row[i]!;
    const variance = stepVariance(row, bounds);
    if (!(variance > 0)) continue;
    // Plain loops without closures: random orders come here a thousand times.
    let most = strength * variance;
    for (let state = 1; state < bounds.length; state++) {
      const [start, end] = [bounds[state - 1]!, bounds[state]!];
      for (let split = start + LEAST_STATE; split <= end - LEAST_STATE; split++) {
        const sum = sums[split]!;
        for (let before = LEAST_STATE; ; before = Math.min(2 * before, split - start)) {
          const mean = (sum - sums[split - before]!) / before;
          for (let after = LEAST_STATE; ; after = Math.min(2 * after, end - split)) {
            const difference = sums[split + after]! - sum - after * mean;
            const found = (difference * difference * before) / (after * (before + after));
            if (found > most) {
              most = found;
              at = split;
            }
            if (after === end - split) break;
          }
          if (before === split - start) break;
        }
      }
    }
    strength = most / variance;
    if (strength >= enough) break;
  }
  return { strength, at };
}

/** The variance of noise between neighbours, whatever the means of the states are. */
function stepVariance(row: Float64Array, bounds: readonly number[]): number {
  let [squares, steps] = [0, 0];
  for (let state = 1; state < bounds.length; state++) {
    const end = bounds[state]!;
    for (let i = bounds[state - 1]! + 1; i < end; i++, steps++) squares += (row[i]! - row[i - 1]!) ** 2;
  }
  return squares / 2 / steps;
}

function forEachState(bounds: readonly number[], visit: (start: number, end: number) => void): void {
  for (let i = 1; i < bounds.length; i++) visit(bounds[i - 1]!, bounds[i]!);
}

/** Whether random orders of the builds in each state seldom have a split of that strength. */
function isRare(
  rows: Rows,
  bounds: readonly number[],
  strength: number,
  level: number,
  random: () => number,
): boolean {
  const orders = Math.ceil(HITS / level);
  const allowed = Math.floor(level * orders * (1 + ROUNDING)) - 1;
  // Equal orders may differ by the rounding of their sums.
  const enough = strength * (1 - ROUNDING);
  const order = Uint32Array.from(rows[0]!.keys());
  const shuffled = rows.map((row) => new Float64Array(row.length));
  // The order of the series itself is one of them.
  for (let i = 1, hits = 0; i < orders; i++) {
    forEachState(bounds, (start, end) => {
      for (let last = end - 1; last > start; last--) {
        const other = start + Math.floor(random() * (last - start + 1));
        const moved = order[last]!;
        order[last] = order[other]!;
        order[other] = moved;
      }
    });
    for (const [at, row] of rows.entries()) {
      const into = shuffled[at]!;
      for (let j = 0; j < into.length; j++) into[j] = row[order[j]!]!;
    }
    if (strongestSplit(shuffled, bounds, enough).strength >= enough && ++hits > allowed) return false;
  }
  return true;
}

/** As many orders as strong are a part `level` of all. */
const HITS = 10;
const ROUNDING = 1e-9;

/**
 * A seed that the order of the values gives. So a verdict is the same when it is asked again, and no series of orders decides on all
 * series of builds: that would have a level of its own.
 */
function seedOf(row: Float64Array): number {
  const places = [...row.keys()].sort((a, b) => row[a]! - row[b]!);
  return places.reduce((seed, place) => Math.imul(seed ^ place, 0x01000193), 0x811c9dc5);
}

/** Moves each start of a state to where all figures together divide it best from the one before: by the greatest likelihood. */
function settle(rows: Rows, bounds: number[]): void {
  for (let round = 0; round < SETTLING_ROUNDS; round++) {
    let isSettled = true;
    for (let i = 1; i < bounds.length - 1; i++) {
      const at = bestSplit(rows, bounds[i - 1]!, bounds[i + 1]!);
      if (at !== bounds[i]) isSettled = false;
      bounds[i] = at;
    }
    if (isSettled) return;
  }
}

const SETTLING_ROUNDS = 5;

function bestSplit(rows: Rows, start: number, end: number): number {
  const parts = rows.map((row) => limitExtremes(row.subarray(start, end), [0, end - start]));
  let [best, at] = [-1, start + LEAST_STATE];
  for (let length = LEAST_STATE; length <= end - start - LEAST_STATE; length++) {
    const likelihood = parts.reduce((sum, part) => {
      const all = squaresOf(part);
      if (all === 0) return sum;
      const within = squaresOf(part.subarray(0, length)) + squaresOf(part.subarray(length));
      return sum - Math.log(Math.max(within / all, Number.MIN_VALUE));
    }, 0);
    if (likelihood > best + ROUNDING) [best, at] = [likelihood, start + length];
  }
  return at;
}

function meanOf(values: Float64Array): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The sum of squares about the mean. */
function squaresOf(values: Float64Array): number {
  const mean = meanOf(values);
  return values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
}

/** A build whose figure is far from its state. */
export interface Outlier {
  readonly at: number;
  /** The figure that is farthest. */
  readonly row: number;
}

/**
 * Finds builds that stand alone in their states: their figures are farther from the mean of the others than chance allows, by Student's
 * t with a common spread of all states. At most a tenth of all, and a state keeps two. They are looked for together, since one can
 * hide another: the most extreme are taken away one after the other, and the last one that is too far decides.
 * Source: B. Rosner, "Percentage points for a generalized ESD many-outlier procedure", Technometrics 25 (1983).
 *
 * @param widths The variance that the slots of each row add.
 * @param level The probability that there is one among normal figures.
 */
export function findOutliers(
  rows: Rows,
  widths: readonly number[],
  bounds: readonly number[],
  level: number,
): Outlier[] {
  const count = rows[0]!.length;
  const taken: Outlier[] = [];
  let found = 0;
  while (taken.length < Math.floor(count / 10)) {
    const isTaken = new Set(taken.map(({ at }) => at));
    let [farthest, next]: [number, Outlier | undefined] = [0, undefined];
    const left = count - taken.length;
    const freedom = left - (bounds.length - 1) - 1;
    for (const [row, values] of rows.entries()) {
      const states = partsOf(values, bounds, isTaken);
      const all = states.reduce((sum, { kept }) => sum + squaresOf(kept), 0);
      for (const { start, end, kept } of states) {
        if (kept.length <= 2) continue;
        const mean = meanOf(kept);
        // The part of a variance that is left beside the mean of a state.
        const part = 1 - 1 / kept.length;
        for (let at = start; at < end; at++) {
          if (isTaken.has(at)) continue;
          const square = (values[at]! - mean) ** 2 / part;
          const variance = Math.max(all - square, 0) / freedom + widths[row]!;
          const distance = square <= ROUNDING ** 2 ? 0 : Math.sqrt(square / variance);
          if (distance > farthest) [farthest, next] = [distance, { at, row }];
        }
      }
    }
    if (next === undefined) break;
    taken.push(next);
    if (farthest > studentUpperQuantile(level / 2 / left / rows.length, freedom)) found = taken.length;
  }
  return taken.slice(0, found);
}

/** The states, without builds that are set aside. */
function partsOf(
  values: Float64Array,
  bounds: readonly number[],
  aside: ReadonlySet<number>,
): { readonly start: number; readonly end: number; readonly kept: Float64Array }[] {
  const parts: { start: number; end: number; kept: Float64Array }[] = [];
  forEachState(bounds, (start, end) => {
    const kept = values.subarray(start, end).filter((_, i) => !aside.has(start + i));
    parts.push({ start, end, kept });
  });
  return parts;
}

/** Whether straight lines fit figures at least as well as their states do, all together, for as many parameters as both have. */
export function isDrift(rows: Rows, bounds: readonly number[], aside: ReadonlySet<number>): boolean {
  const places = Float64Array.from(rows[0]!.keys()).filter((at) => !aside.has(at));
  const middle = meanOf(places);
  const ratios = rows.map((values) => {
    const states = partsOf(values, bounds, aside);
    const steps = states.reduce((sum, { kept }) => sum + squaresOf(kept), 0);
    const kept = values.filter((_, at) => !aside.has(at));
    const products = kept.reduce((sum, value, i) => sum + value * (places[i]! - middle), 0);
    const line = squaresOf(kept) - products ** 2 / squaresOf(places);
    const freedom = kept.length - (2 * states.length - 1);
    return Math.log((line / (kept.length - 2) + Number.MIN_VALUE) / (steps / freedom + Number.MIN_VALUE));
  });
  return ratios.reduce((sum, ratio) => sum + ratio, 0) <= 0;
}
