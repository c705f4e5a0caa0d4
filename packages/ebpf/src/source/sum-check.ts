import { usedSlots } from '@hdrscope/core/internal';
import { isLossy, isPerCpu, type MapInfo, mapDetails, titleOfMap } from '../bpf/maps.ts';
import { type KernelTotals, sumCpus } from '../cpu-counts.ts';
import { kernelError } from '../errors.ts';
import type { KernelLayout } from '../layout/kernel-layout.ts';
import { is64 } from './kernel-map-counters.ts';
import type { ResolvedShape } from './kernel-map-shape.ts';
import type { KernelHistogram } from './source.ts';

/** Where updates may be lost, fewer values prove nothing. A chosen limit, not a measured one. */
const ENOUGH_TO_COMPARE = 100;
/**
 * Share by which a sum may miss the slots of a map that the CPUs share, because programs without atomic additions lose some of
 * them. A chosen limit: nobody has measured how many they lose.
 */
const SUM_TOLERANCE = 0.1;
/** Doubles round sums above 2^53. */
const ROUNDING = 2 ** -40;
const READS_TO_COMPARE = 3;

/** How strictly sums are compared with slots. */
interface Strictness {
  readonly tolerance: number;
  readonly enough: number;
}

const LOSSY: Strictness = { tolerance: SUM_TOLERANCE, enough: ENOUGH_TO_COMPARE };
/** No update is lost where each CPU counts for itself. */
const EXACT: Strictness = { tolerance: ROUNDING, enough: 1 };

/** Compares the sums of a map with its slots at each read: count × bounds of each slot. */
export class SumCheck {
  readonly #info: MapInfo;
  readonly #layout: KernelLayout;
  readonly #strictness: Strictness;
  /** Counters of 32 bits start again at 0, one by one. So they are compared only until they have shown that they belong together. */
  readonly #isLasting: boolean;
  #isDone: boolean;
  #contradictions = 0;
  #before: readonly KernelHistogram[] = [];

  constructor(info: MapInfo, layout: KernelLayout, shape: ResolvedShape) {
    this.#info = info;
    this.#layout = layout;
    const { counts, sumField } = shape;
    this.#isLasting = is64(counts.type) && (sumField === undefined || sumField.type.endsWith('64'));
    const isExact = this.#isLasting && info.type !== undefined && isPerCpu(info.type);
    this.#strictness = isExact ? EXACT : LOSSY;
    this.#isDone = !isComparable(info, shape);
  }

  /**
   * Whether the map is to be read once more, because a sum contradicts the slots, perhaps by events of this moment.
   *
   * @throws HdrscopeError `ERR_KERNEL` when it contradicts them in three reads, and the last one too when the sum of one read is
   *   compared with the slots of the other.
   */
  asksAgain(histograms: readonly KernelHistogram[]): boolean {
    if (this.#isDone) return false;
    const before = this.#before;
    this.#before = [];
    const wrong = contradictions(histograms, this.#strictness);
    if (wrong.length === 0) {
      this.#contradictions = 0;
      const hasEnough = histograms.some((one) => sumCpus(one).counts.total >= ENOUGH_TO_COMPARE);
      this.#isDone = !this.#isLasting && hasEnough;
      return false;
    }
    this.#contradictions++;
    if (this.#contradictions < READS_TO_COMPARE) {
      this.#before = histograms;
      return true;
    }
    this.#contradictions = 0;
    const proven = wrong.find((one) => this.#isProven(one, before));
    if (proven === undefined) return false;
    const totals = sumCpus(proven);
    const { least, most } = boundsOfSum(totals);
    throw kernelError(
      `the layout ${this.#layout.name} contradicts ${titleOfMap(this.#info)}: its slots cannot have the sum ${totals.sum} that the map has, only ${least} to ${most}; choose the layout of its program, or set \`sum\` to 'none' when that field is another number`,
      mapDetails(this.#info),
    );
  }

  /**
   * Whether no events of the moment explain a contradiction. A sum is at least what the slots of an earlier read need, and at
   * most what those of a later one allow.
   */
  #isProven(now: KernelHistogram, before: readonly KernelHistogram[]): boolean {
    const then = before.find((one) => identityOf(one) === identityOf(now));
    if (then === undefined) return false;
    const [earlier, later] = [sumCpus(then), sumCpus(now)];
    const { tolerance } = this.#strictness;
    return (
      isBelow(later.sum!, boundsOfSum(earlier).least, tolerance) ||
      isAbove(earlier.sum!, boundsOfSum(later).most, tolerance)
    );
  }
}

function identityOf({ name, attributes }: KernelHistogram): string {
  return JSON.stringify([name, attributes]);
}

/** Whether the slots of a map must have its sum. A map that drops entries may lose a slot and keep the entry of the sum. */
export function isComparable(
  info: Pick<MapInfo, 'type'>,
  { slotIn, sumField, sumIndex }: Pick<ResolvedShape, 'slotIn' | 'sumField' | 'sumIndex'>,
): boolean {
  if (sumField === undefined && sumIndex === undefined) return false;
  const isEntry = slotIn === 'key' && sumIndex !== undefined;
  return !(isEntry && isLossy(info));
}

/** Whether a sum is one that the slots cannot have, of counts that may have lost some updates. */
export function sumContradicts(histograms: readonly KernelHistogram[]): boolean {
  return contradictions(histograms, LOSSY).length > 0;
}

function contradictions(
  histograms: readonly KernelHistogram[],
  { tolerance, enough }: Strictness,
): readonly KernelHistogram[] {
  return histograms.filter((histogram) => {
    const totals = sumCpus(histogram);
    const { sum, counts } = totals;
    // A program that keeps no sum may leave its place at 0.
    if (sum === undefined || sum === 0 || counts.total < enough) return false;
    const { least, most } = boundsOfSum(totals);
    return isBelow(sum, least, tolerance) || isAbove(sum, most, tolerance);
  });
}

function isBelow(sum: number, least: number, tolerance: number): boolean {
  return sum < least - tolerance * Math.abs(least);
}

function isAbove(sum: number, most: number, tolerance: number): boolean {
  return sum > most + tolerance * Math.abs(most);
}

/** Histograms without sums of 0 that their values cannot have: their program keeps no sum. */
export function withoutEmptySums(histograms: readonly KernelHistogram[]): readonly KernelHistogram[] {
  return histograms.map((histogram) => {
    if (histogram.sums === undefined || histogram.sums.some((sum) => sum !== 0)) return histogram;
    const { least, most } = boundsOfSum(sumCpus(histogram));
    return least > 0 || most < 0 ? { ...histogram, sums: undefined } : histogram;
  });
}

/** The least and the largest sum that values in the slots of a histogram can have. */
export function boundsOfSum({ counts, layout }: Pick<KernelTotals, 'counts' | 'layout'>): {
  readonly least: number;
  readonly most: number;
} {
  let [least, most] = [0, 0];
  for (const [slot, count] of usedSlots(counts)) {
    least += count * layout.lower(slot);
    most += count * layout.upper(slot);
  }
  return { least, most };
}
