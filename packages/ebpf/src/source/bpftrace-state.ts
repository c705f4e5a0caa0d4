import type { IntegerLayout } from '@hdrscope/core';
import { mustBe } from '@hdrscope/core/internal';
import type { Attributes } from '@hdrscope/registry';
import type { KernelLayout } from '../layout/kernel-layout.ts';
import { learnLayout } from './bpftrace-layout.ts';
import type { PrintedBucket, PrintedHistogram } from './bpftrace-line.ts';
import type { KernelHistogram } from './source.ts';

/** Makes attributes of the key of a map, as bpftrace prints it. */
type KeyReader = (variable: string, key: string | undefined) => Attributes;

const MOST_VARIABLES = 1000;

/** The counts of a script: for each variable, the histograms that were printed last. */
export class BpftraceState {
  readonly #variables = new Map<string, Variable>();
  #layoutChanges = 0;

  /** How often a variable has turned out to have other slots than it seemed. Each time, all counts start again at 0. */
  get layoutChanges(): number {
    return this.#layoutChanges;
  }

  /**
   * Takes a printed variable. bpftrace prints all its keys every time.
   *
   * @throws HdrscopeError `ERR_KERNEL` when no layout has its buckets; `ERR_TOO_LARGE` for more than 1000 variables. The counts that there
   *   were before stay.
   */
  update(variable: string, printed: readonly PrintedHistogram[]): void {
    const known = this.#variables.get(variable);
    if (known === undefined && this.#variables.size >= MOST_VARIABLES) {
      throw mustBe(
        'ERR_TOO_LARGE',
        'the number of variables of a script',
        `at most ${MOST_VARIABLES}`,
        variable,
      );
    }
    const bounds = new Map(known?.bounds);
    for (const bucket of printed.flatMap(({ buckets }) => buckets)) bounds.set(boundsText(bucket), bucket);
    if (bounds.size === 0) return;
    const layout = layoutOf(variable, bounds, known);
    this.#variables.set(variable, {
      bounds,
      layout,
      printed: new Map(printed.map(({ key, buckets }) => [key, buckets])),
      delivered: known?.delivered ?? new Map(),
      baseline: known?.baseline ?? new Map(),
    });
    if (known !== undefined && known.layout !== layout) this.#startAgain();
  }

  /** The counts since `layoutChanges` changed last. */
  histograms(readKey: KeyReader): KernelHistogram[] {
    return [...this.#variables].flatMap(([name, variable]) => {
      variable.delivered = variable.printed;
      for (const key of variable.baseline.keys()) {
        if (!variable.printed.has(key)) variable.baseline.delete(key);
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

  #startAgain(): void {
    this.#layoutChanges++;
    for (const variable of this.#variables.values()) variable.baseline = new Map(variable.delivered);
  }
}

interface Variable {
  /** All buckets of the variable that were ever printed. */
  readonly bounds: ReadonlyMap<string, PrintedBucket>;
  readonly layout: KernelLayout;
  readonly printed: ReadonlyMap<string | undefined, readonly PrintedBucket[]>;
  /** The histograms of the last call of `histograms`, as printed. */
  delivered: ReadonlyMap<string | undefined, readonly PrintedBucket[]>;
  /** The histograms that were delivered before the layouts changed, which are subtracted from later ones. */
  baseline: Map<string | undefined, readonly PrintedBucket[]>;
}

function countsOf(
  { baseline, layout: { slots } }: Variable,
  key: string | undefined,
  buckets: readonly PrintedBucket[],
): Float64Array {
  const countIn = (printed: readonly PrintedBucket[]): Float64Array => {
    const counts = new Float64Array(slots.slotCount);
    for (const bucket of printed) counts[slotIn(slots, bucket)]! += bucket.count;
    return counts;
  };
  const counts = countIn(buckets);
  const before = countIn(baseline.get(key) ?? []);
  // The script has cleared the histogram meanwhile.
  if (before.some((count, slot) => count > counts[slot]!)) {
    baseline.delete(key);
    return counts;
  }
  return counts.map((count, slot) => count - before[slot]!);
}

/** The known layout, unless new buckets belong to another one. */
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

/** The slot of a bucket by its lower bound. Upper bounds leave a gap when the step does not divide the range of `lhist`. */
function slotIn(slots: IntegerLayout, { min, max }: PrintedBucket): number {
  if (min === Number.NEGATIVE_INFINITY) return 0;
  return max === Number.POSITIVE_INFINITY ? slots.slotCount - 1 : slots.slotOf(min);
}

function boundsText({ min, max, isCapped }: PrintedBucket): string {
  return `${min} ${max} ${isCapped}`;
}
