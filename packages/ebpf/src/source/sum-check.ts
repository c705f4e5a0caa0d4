import { type MapInfo, mapDetails, titleOfMap } from '../bpf/maps.ts';
import { sumOfCpus } from '../cpu-counts.ts';
import { kernelError } from '../errors.ts';
import type { KernelLayout } from '../layout/kernel-layout.ts';
import type { ResolvedShape } from './kernel-map-shape.ts';
import type { KernelHistogram } from './source.ts';

/** Sums are compared with slots of so many values, because events arrive while a map is read. */
const ENOUGH_TO_COMPARE = 100;
/** Programs without atomic additions lose some of them. */
const SUM_TOLERANCE = 0.1;
const READS_TO_COMPARE = 3;

/** Compares the sum that a map has with its slots, until it has counted enough to show that they belong together. */
export class SumCheck {
  readonly #info: MapInfo;
  readonly #layout: KernelLayout;
  #isDone: boolean;
  #contradictions = 0;

  constructor(info: MapInfo, layout: KernelLayout, { sumField, sumIndex }: ResolvedShape) {
    this.#info = info;
    this.#layout = layout;
    this.#isDone = sumField === undefined && sumIndex === undefined;
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
      this.#isDone = histograms.some((histogram) => sumOfCpus(histogram).counts.total >= ENOUGH_TO_COMPARE);
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

/** Whether a sum is one that the slots cannot have. */
export function sumContradicts(histograms: readonly KernelHistogram[]): boolean {
  return histograms.some((histogram) => {
    const { counts, sum, layout } = sumOfCpus(histogram);
    // A program that keeps no sum may leave its place at 0.
    if (sum === undefined || sum === 0 || counts.total < ENOUGH_TO_COMPARE) return false;
    let least = 0;
    let most = 0;
    for (let slot = 0; slot < layout.slotCount; slot++) {
      const count = counts.at(slot);
      if (count === 0) continue;
      least += count * layout.lower(slot);
      most += count * layout.upper(slot);
    }
    return sum < least - SUM_TOLERANCE * Math.abs(least) || sum > most + SUM_TOLERANCE * Math.abs(most);
  });
}
