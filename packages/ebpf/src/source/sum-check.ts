import { usedSlots } from '@hdrscope/core/internal';
import { isLossy, type MapInfo, mapDetails, titleOfMap } from '../bpf/maps.ts';
import { type KernelTotals, sumCpus } from '../cpu-counts.ts';
import { kernelError } from '../errors.ts';
import type { KernelLayout } from '../layout/kernel-layout.ts';
import type { ResolvedShape } from './kernel-map-shape.ts';
import type { KernelHistogram } from './source.ts';

/** Fewer values prove nothing, because events arrive while a map is read. A chosen limit, not a measured one. */
const ENOUGH_TO_COMPARE = 100;
/**
 * Share by which a sum may miss the slots, because programs without atomic additions lose some of them. A chosen limit: nobody
 * has measured how many they lose.
 */
const SUM_TOLERANCE = 0.1;
const READS_TO_COMPARE = 3;

/** Compares the sum that a map has with its slots, until it has counted enough to show that they belong together. */
export class SumCheck {
  readonly #info: MapInfo;
  readonly #layout: KernelLayout;
  #isDone: boolean;
  #contradictions = 0;

  constructor(info: MapInfo, layout: KernelLayout, shape: ResolvedShape) {
    this.#info = info;
    this.#layout = layout;
    this.#isDone = !isComparable(info, shape);
  }

  /**
   * Whether the map is to be read once more, because a sum contradicts the slots, perhaps by events of this moment.
   *
   * @throws HdrscopeError `ERR_KERNEL` when it contradicts them in three reads.
   */
  asksAgain(histograms: readonly KernelHistogram[]): boolean {
    if (this.#isDone) return false;
    if (!sumContradicts(histograms)) {
      this.#contradictions = 0;
      this.#isDone = histograms.some((histogram) => sumCpus(histogram).counts.total >= ENOUGH_TO_COMPARE);
      return false;
    }
    this.#contradictions++;
    if (this.#contradictions < READS_TO_COMPARE) return true;
    this.#contradictions = 0;
    throw kernelError(
      `the layout ${this.#layout.name} contradicts ${titleOfMap(this.#info)}: its slots cannot have the sum that the map has; choose the layout of its program, or set \`sum\` to 'none' when that field is another number`,
      mapDetails(this.#info),
    );
  }
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

/** Whether a sum is one that the slots cannot have. */
export function sumContradicts(histograms: readonly KernelHistogram[]): boolean {
  return histograms.some((histogram) => {
    const totals = sumCpus(histogram);
    const { sum, counts } = totals;
    // A program that keeps no sum may leave its place at 0.
    if (sum === undefined || sum === 0 || counts.total < ENOUGH_TO_COMPARE) return false;
    const { least, most } = boundsOfSum(totals);
    return sum < least - SUM_TOLERANCE * Math.abs(least) || sum > most + SUM_TOLERANCE * Math.abs(most);
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
