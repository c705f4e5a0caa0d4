import { mustBe } from '@hdrscope/core';
import { explicitKernelLayout, type KernelLayout } from './kernel-layout.ts';

// Source of all: ebpf_exporter, `exporter/histogram.go`. Its keys run from `bucket_min` to `bucket_max`, both included;
// its programs count what is too large at `bucket_max`, and the sum at the key after it. The bounds are those of keys, in
// the unit of the program; `bucket_multiplier` is a matter of the unit that is shown.

/** The keys of a histogram of ebpf_exporter. */
export interface ExporterKeyRange {
  /** `bucket_min`: an integer of at least 0. @default 0 */
  readonly min?: number;
  /** `bucket_max`: an integer above `min`, up to 64 for powers of two and 4096 above `min` for linear ones. */
  readonly max: number;
}

/** `exp2`: the logarithm rounded up. Key 0 holds 0 and 1, key k holds 2^(k−1) + 1 to 2^k. */
export function exporterExp2Layout(range: ExporterKeyRange): KernelLayout {
  return byKey('ebpf-exporter-exp2', range, 64, (key) => 2 ** key);
}

/** `exp2zero`: key 0 holds 0, and every other one what `exp2` has one below it. */
export function exporterExp2ZeroLayout(range: ExporterKeyRange): KernelLayout {
  return byKey('ebpf-exporter-exp2zero', range, 65, (key) => (key === 0 ? 0 : 2 ** (key - 1)));
}

/** `linear`: the key is the largest value in its slot. */
export function exporterLinearLayout(range: ExporterKeyRange): KernelLayout {
  return byKey('ebpf-exporter-linear', range, Number.MAX_SAFE_INTEGER, (key) => key);
}

/**
 * `fixed`: the keys are listed, and each is the largest value in its slot, but the last, which takes all above.
 *
 * @param keys Ascending integers, at least two.
 * @throws HdrscopeError `ERR_INVALID_OPTION`
 * @example
 * ```ts
 * import { exporterFixedLayout, slotOfIndex } from '@hdrscope/ebpf';
 *
 * const sizes = exporterFixedLayout([10, 100, 1000]);
 * slotOfIndex(sizes, 100); //=> 1
 * [sizes.slots.lower(1), sizes.slots.upper(1)]; //=> [11, 100]
 * ```
 */
export function exporterFixedLayout(keys: readonly number[]): KernelLayout {
  if (keys.length < 2) throw mustBe('ERR_INVALID_OPTION', 'keys', 'at least two integers', keys);
  for (const [i, key] of keys.entries()) {
    const least = i === 0 ? 0 : keys[i - 1]! + 1;
    if (!Number.isSafeInteger(key) || key < least) {
      throw mustBe('ERR_INVALID_OPTION', `keys[${i}]`, `an integer of at least ${least}`, key);
    }
  }
  return explicitKernelLayout(keys.slice(0, -1), { name: 'ebpf-exporter-fixed', keys });
}

const MOST_KEYS = 4096;

function byKey(
  name: string,
  { min = 0, max }: ExporterKeyRange,
  highest: number,
  upper: (key: number) => number,
): KernelLayout {
  if (!Number.isInteger(min) || min < 0 || min >= highest) {
    throw mustBe('ERR_INVALID_OPTION', 'min', `an integer from 0 to ${highest - 1}`, min);
  }
  const most = Math.min(highest, min + MOST_KEYS);
  if (!Number.isInteger(max) || max <= min || max > most) {
    throw mustBe('ERR_INVALID_OPTION', 'max', `an integer from ${min + 1} to ${most}`, max);
  }
  const bounds = Array.from({ length: max - min }, (_, i) => upper(min + i));
  // What is below the first key has none.
  const lowest = min === 0 ? 0 : upper(min - 1) + 1;
  return explicitKernelLayout(bounds, { name, firstIndex: min, lowest });
}
