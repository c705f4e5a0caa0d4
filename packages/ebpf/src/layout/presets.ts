import { integer, integerBefore, mustBe, type OptionRules, readOptions } from '@hdrscope/core/internal';
import { explicitKernelLayout, type KernelLayout } from './kernel-layout.ts';

/** Width of the largest integers that kernel programs count. */
const WORD_BITS = 64;

/**
 * Layout of run-queue depths: 0, 1, 2 to 4, 5 to 8, 9 to 16, 17 to 32, 33 to 64, and 65 or more.
 *
 * @example
 * ```ts
 * import { queueDepthLayout } from '@hdrscope/ebpf';
 *
 * const { slots } = queueDepthLayout();
 * [0, 4, 5, 64, 65].map((depth) => slots.slotOf(depth)); //=> [0, 2, 3, 6, 7]
 * ```
 */
export function queueDepthLayout(): KernelLayout {
  return explicitKernelLayout([0, 1, 4, 8, 16, 32, 64], { name: 'queue-depth' });
}

/**
 * Layout of libbpf-tools: `log2l(value)` rounded down. Index 0 holds 0 and 1, and index i holds 2^i to 2^(i+1) − 1. The last
 * index holds all larger values too.
 * Source: bcc, `libbpf-tools/bits.bpf.h`.
 *
 * @param slots Number of slots, from 2 to 64: `MAX_SLOTS` of the program. The default is 26.
 * @throws HdrscopeError `ERR_INVALID_OPTION` when the number of slots is outside its range.
 */
export function libbpfToolsLayout(slots = 26): KernelLayout {
  assertSlots(slots, WORD_BITS);
  return explicitKernelLayout(boundsFrom(1, slots, 0), { name: 'libbpf-tools' });
}

/**
 * Layout of bcc: `bpf_log2l(value)`, which is the logarithm rounded down, plus 1. Index 0 is unused, index 1 holds 0 and 1,
 * and index i holds 2^(i−1) to 2^i − 1.
 * Source: bcc, `src/cc/export/helpers.h`.
 *
 * @param slots Number of slots including index 0, from 3 to 65. bcc drops values beyond the last index, but the last slot is
 *   open here all the same. The default is 65.
 * @throws HdrscopeError `ERR_INVALID_OPTION` when the number of slots is outside its range.
 */
export function bccLayout(slots: number = WORD_BITS + 1): KernelLayout {
  assertSlots(slots, WORD_BITS + 1, 3);
  return explicitKernelLayout(boundsFrom(1, slots - 1, 0), { name: 'bcc', firstIndex: 1 });
}

/**
 * Layout of Inspektor Gadget. Index 0 holds 0, and index i holds 2^(i−1) to 2^i − 1. The last index holds all larger values
 * too.
 * Source: inspektor-gadget, `include/gadget/bits.bpf.h`.
 *
 * @param slots Number of slots, from 2 to 65. The default is 27.
 * @throws HdrscopeError `ERR_INVALID_OPTION` when the number of slots is outside its range.
 */
export function inspektorGadgetLayout(slots = 27): KernelLayout {
  assertSlots(slots, WORD_BITS + 1);
  return explicitKernelLayout(boundsFrom(0, slots, 0), { name: 'inspektor-gadget' });
}

/**
 * Layout of `hist(value, k)` in maps of bpftrace. Index 0 holds negative integers, and every power of two has 2^k slots. With
 * k = 0, which is `hist(value)`, index 1 holds 0 and index i holds 2^(i−2) to 2^(i−1) − 1.
 * Source: bpftrace, `src/ast/passes/codegen_llvm.cpp`.
 *
 * @param k An integer from 0 to 5. The default is 0.
 * @param slots Number of slots. Use 34 for bpftrace up to 0.17, which counts all integers from 2^31 on in one slot. The
 *   default is the number for all integers of 64 bits.
 * @throws HdrscopeError `ERR_INVALID_OPTION` when `k` or the number of slots is outside its range.
 */
export function bpftraceHistLayout(k = 0, slots?: number): KernelLayout {
  if (!Number.isInteger(k) || k < 0 || k > 5)
    throw mustBe('ERR_INVALID_OPTION', 'k', 'an integer from 0 to 5', k);
  const most = slotsOfWord(k) + 1;
  if (slots !== undefined) assertSlots(slots, most);
  return explicitKernelLayout([-1, ...boundsFrom(0, (slots ?? most) - 1, k)], { name: 'bpftrace-hist' });
}

/**
 * Number of slots of `hist(value)` that have the same meaning in all versions of bpftrace. bpftrace up to 0.17 counts all
 * integers from 2^31 on in the last one, and newer versions have slots after it.
 */
export const BPFTRACE_HIST_SLOTS = 34;

/** Arguments of `lhist` of bpftrace after the value. */
export interface BpftraceLhistOptions {
  /** An integer. Slot 0 holds all integers below it. */
  readonly min: number;
  /** An integer above `min`. */
  readonly max: number;
  /** Width of a slot: an integer from 1 to `max - min`, and at least a thousandth of that. */
  readonly step: number;
}

/**
 * Layout of `lhist(value, min, max, step)` in maps of bpftrace. Index 0 holds all integers below `min`. The last index holds
 * all integers from `floor((max - min) / step)` steps above `min` on. When the step does not divide the range, the last slot
 * begins below `max`, although bpftrace prints `max` there.
 * Source: bpftrace, `src/ast/passes/codegen_llvm.cpp`.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option does not exist, or an argument is outside its range.
 */
export function bpftraceLhistLayout(options: BpftraceLhistOptions): KernelLayout {
  const { min, max, step } = readOptions(options, BPFTRACE_LHIST_LAYOUT);
  if (max <= min) throw mustBe('ERR_INVALID_OPTION', 'max', `an integer above ${min}`, max);
  const least = Math.ceil((max - min) / MOST_STEPS);
  if (step < least || step > max - min) {
    throw mustBe('ERR_INVALID_OPTION', 'step', `an integer from ${least} to ${max - min}`, step);
  }
  const steps = Math.floor((max - min) / step);
  const bounds = Array.from({ length: steps + 1 }, (_, i) => min + i * step - 1);
  return explicitKernelLayout(bounds, { name: 'bpftrace-lhist', lowest: Number.NEGATIVE_INFINITY });
}

const BPFTRACE_LHIST_LAYOUT = {
  name: 'bpftraceLhistLayout',
  rules: { min: integer(), max: integer(), step: integer() } satisfies OptionRules<BpftraceLhistOptions>,
  call: 'bpftraceLhistLayout({ min: 0, max: 100, step: 10 })',
};

/** The limit of bpftrace. */
const MOST_STEPS = 1000;

/**
 * Layout with eight slots in each power of two, which is the recommended layout for your own programs. Integers from 0 to 15
 * have a slot each. A slot above them has an eighth of the width of its octave, so a quantile is within 12.5 %. 496 slots
 * hold all integers of 64 bits.
 *
 * @param slots Number of slots, from 2 to 496. The last slot holds all larger values too. The default is 496.
 * @throws HdrscopeError `ERR_INVALID_OPTION` when the number of slots is outside its range.
 */
export function logLinear8Layout(slots: number = slotsOfWord(3)): KernelLayout {
  assertSlots(slots, slotsOfWord(3));
  return explicitKernelLayout(boundsFrom(0, slots, 3), { name: 'log-linear-8' });
}

/** Number of slots for all integers of 64 bits, with 2^k slots in each octave. */
function slotsOfWord(k: number): number {
  return (WORD_BITS - k + 1) * 2 ** k;
}

/** The bounds of `slots` slots with 2^k in each octave. The first slot holds the integers from 0 to `first`. */
function boundsFrom(first: 0 | 1, slots: number, k: number): number[] {
  return Array.from({ length: slots - 1 }, (_, slot) => integerBefore(lowerOf(slot + 1 + first, k)));
}

/** The smallest integer of a slot, when 0 has slot 0: single integers up to 2^k, then 2^k slots in each octave. */
function lowerOf(slot: number, k: number): number {
  const parts = 2 ** k;
  if (slot < parts) return slot;
  return (parts + (slot % parts)) * 2 ** (Math.floor(slot / parts) - 1);
}

function assertSlots(slots: number, most: number, least = 2): void {
  if (Number.isInteger(slots) && slots >= least && slots <= most) return;
  throw mustBe('ERR_INVALID_OPTION', 'slots', `an integer from ${least} to ${most}`, slots);
}
