import type { IntegerLayout } from '@hdrscope/core';
import type { Attributes } from '@hdrscope/registry';
import type { KernelLayout } from '../layout/kernel-layout.ts';
import { learnLayout } from './bpftrace-layout.ts';
import type { PrintedBucket, PrintedHistogram } from './bpftrace-line.ts';
import type { KernelHistogram } from './source.ts';

/** Tells attributes from the key of a map, as bpftrace prints it. */
export type KeyReader = (variable: string, key: string | undefined) => Attributes;

/** What a script has counted: of each variable, what was printed last. */
export class BpftraceState {
  readonly #variables = new Map<string, Variable>();
  #layouts = 0;

  /** Changes when a variable turns out to have other slots than was thought: what is given then begins anew. */
  get layouts(): number {
    return this.#layouts;
  }

  /**
   * Takes what was printed of a variable. All its keys are printed every time.
   *
   * @throws HdrscopeError `ERR_KERNEL` when its buckets are of no layout; what it had counted before stays.
   */
  update(variable: string, printed: readonly PrintedHistogram[]): void {
    const known = this.#variables.get(variable);
    const bounds = new Map(known?.bounds);
    for (const bucket of printed.flatMap(({ buckets }) => buckets)) bounds.set(boundsText(bucket), bucket);
    if (bounds.size === 0) return;
    const layout = layoutOf(variable, bounds, known);
    this.#variables.set(variable, {
      bounds,
      layout,
      printed: new Map(printed.map(({ key, buckets }) => [key, buckets])),
      given: known?.given ?? new Map(),
      base: known?.base ?? new Map(),
    });
    if (known !== undefined && known.layout !== layout) this.#beginAnew();
  }

  /** What was counted since `layouts` changed last. */
  histograms(readKey: KeyReader): KernelHistogram[] {
    return [...this.#variables].flatMap(([name, variable]) => {
      variable.given = variable.printed;
      for (const key of variable.base.keys()) {
        if (!variable.printed.has(key)) variable.base.delete(key);
      }
      return [...variable.printed].map(([key, buckets]) => {
        return {
          name,
          attributes: readKey(name, key),
          layout: variable.layout,
          counts: countsOf(variable, key, buckets),
          sums: undefined,
        };
      });
    });
  }

  #beginAnew(): void {
    this.#layouts++;
    for (const variable of this.#variables.values()) variable.base = new Map(variable.given);
  }
}

interface Variable {
  /** Every bucket that was ever printed of it. */
  readonly bounds: ReadonlyMap<string, PrintedBucket>;
  readonly layout: KernelLayout;
  readonly printed: ReadonlyMap<string | undefined, readonly PrintedBucket[]>;
  /** What was printed when it was last asked for. */
  given: ReadonlyMap<string | undefined, readonly PrintedBucket[]>;
  /** What was given before the layouts changed, and is not to be given again. */
  base: Map<string | undefined, readonly PrintedBucket[]>;
}

function countsOf(
  { base, layout: { slots } }: Variable,
  key: string | undefined,
  buckets: readonly PrintedBucket[],
): Float64Array {
  const countIn = (held: readonly PrintedBucket[]): Float64Array => {
    const counts = new Float64Array(slots.slotCount);
    for (const bucket of held) counts[slotIn(slots, bucket)]! += bucket.count;
    return counts;
  };
  const counts = countIn(buckets);
  const before = countIn(base.get(key) ?? []);
  // The script has cleared it meanwhile.
  if (before.some((count, slot) => count > counts[slot]!)) {
    base.delete(key);
    return counts;
  }
  return counts.map((count, slot) => count - before[slot]!);
}

/** The same one as before, unless new buckets belong to another. */
function layoutOf(
  variable: string,
  bounds: ReadonlyMap<string, PrintedBucket>,
  known: Variable | undefined,
): KernelLayout {
  if (known !== undefined && bounds.size === known.bounds.size) return known.layout;
  const learnt = learnLayout(variable, bounds.values());
  return known !== undefined && areEqual(learnt, known.layout) ? known.layout : learnt;
}

function areEqual({ slots: a }: KernelLayout, { slots: b }: KernelLayout): boolean {
  return a.slotCount === b.slotCount && a.bounds.every((bound, slot) => bound === b.bounds[slot]);
}

/** By its lower bound: where a step does not divide the range of `lhist`, the upper ones leave a hole. */
function slotIn(slots: IntegerLayout, { min, max }: PrintedBucket): number {
  if (min === Number.NEGATIVE_INFINITY) return 0;
  return max === Number.POSITIVE_INFINITY ? slots.slotCount - 1 : slots.slotOf(min);
}

function boundsText({ min, max, isCapped }: PrintedBucket): string {
  return `${min} ${max} ${isCapped}`;
}
