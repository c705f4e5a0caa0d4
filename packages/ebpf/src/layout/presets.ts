import { integerBefore, mustBe } from '@hdrscope/core';
import { explicitKernelLayout, type KernelLayout } from './kernel-layout.ts';

/** The widest integers that the kernel counts. */
const WORD_BITS = 64;

/**
 * Run-queue depths: 0, 1, 2 to 4, 5 to 8, 9 to 16, 17 to 32, 33 to 64, and more.
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
 * libbpf-tools: `log2l(value)` rounded down. Index 0 holds 0 and 1, index i holds 2^i to 2^(i+1) − 1; what is larger is
 * in the last one.
 * Source: bcc, `libbpf-tools/bits.bpf.h`.
 *
 * @param slots How many there are: `MAX_SLOTS` of the program, from 2 to 64. @default 26
 */
export function libbpfToolsLayout(slots = 26): KernelLayout {
  assertSlots(slots, WORD_BITS);
  return explicitKernelLayout(boundsFrom(1, slots, 0), { name: 'libbpf-tools' });
}

/**
 * bcc: `bpf_log2l(value)`, one more than the logarithm rounded down. Index 0 is never used, index 1 holds 0 and 1, index
 * i holds 2^(i−1) to 2^i − 1.
 * Source: bcc, `src/cc/export/helpers.h`.
 *
 * @param slots How many there are, index 0 included: from 3 to 65. bcc drops what is beyond the last index; that slot is
 *   open here all the same. @default 65
 */
export function bccLayout(slots: number = WORD_BITS + 1): KernelLayout {
  if (slots < 3) throw mustBe('ERR_INVALID_OPTION', 'slots', `an integer from 3 to ${WORD_BITS + 1}`, slots);
  assertSlots(slots, WORD_BITS + 1);
  return explicitKernelLayout(boundsFrom(1, slots - 1, 0), { name: 'bcc', firstIndex: 1 });
}

/**
 * Inspektor Gadget: index 0 holds 0, index i holds 2^(i−1) to 2^i − 1; what is larger is in the last one.
 * Source: inspektor-gadget, `include/gadget/bits.bpf.h`.
 *
 * @param slots From 2 to 65. @default 27
 */
export function inspektorGadgetLayout(slots = 27): KernelLayout {
  assertSlots(slots, WORD_BITS + 1);
  return explicitKernelLayout(boundsFrom(0, slots, 0), { name: 'inspektor-gadget' });
}

/**
 * `hist(value, k)` of bpftrace as its map holds it: index 0 holds what is negative, and every power of two has 2^k slots.
 * With k = 0, which is `hist(value)`, index 1 holds 0 and index i holds 2^(i−2) to 2^(i−1) − 1.
 * Source: bpftrace, `src/ast/passes/codegen_llvm.cpp`.
 *
 * @param k From 0 to 5. @default 0
 * @param slots How many there are, the last one open: 34 up to bpftrace 0.17, which has all from 2^31 on in one.
 *   @default all that 64 bits need
 */
export function bpftraceHistLayout(k = 0, slots?: number): KernelLayout {
  if (!Number.isInteger(k) || k < 0 || k > 5)
    throw mustBe('ERR_INVALID_OPTION', 'k', 'an integer from 0 to 5', k);
  const most = slotsOfWord(k) + 1;
  if (slots !== undefined) assertSlots(slots, most);
  return explicitKernelLayout([-1, ...boundsFrom(0, (slots ?? most) - 1, k)], { name: 'bpftrace-hist' });
}

/** What `lhist` of bpftrace is called with, after its value. */
export interface BpftraceLhistOptions {
  /** An integer: what is below it is in slot 0. */
  readonly min: number;
  /** An integer above `min`. */
  readonly max: number;
  /** The width of a slot: an integer from 1 to `max - min`. */
  readonly step: number;
}

/**
 * `lhist(value, min, max, step)` of bpftrace as its map holds it: index 0 holds what is below `min`, and the last one
 * what is `floor((max - min) / step)` steps above it or more. Where the step does not divide the range, that begins
 * below `max`, although bpftrace prints `max` there.
 * Source: bpftrace, `src/ast/passes/codegen_llvm.cpp`.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION`
 */
export function bpftraceLhistLayout({ min, max, step }: BpftraceLhistOptions): KernelLayout {
  if (!Number.isSafeInteger(min)) throw mustBe('ERR_INVALID_OPTION', 'min', 'an integer', min);
  if (!Number.isSafeInteger(max) || max <= min) {
    throw mustBe('ERR_INVALID_OPTION', 'max', `an integer above ${min}`, max);
  }
  const least = Math.ceil((max - min) / MOST_STEPS);
  if (!Number.isInteger(step) || step < least || step > max - min) {
    throw mustBe('ERR_INVALID_OPTION', 'step', `an integer from ${least} to ${max - min}`, step);
  }
  const steps = Math.floor((max - min) / step);
  const bounds = Array.from({ length: steps + 1 }, (_, i) => min + i * step - 1);
  return explicitKernelLayout(bounds, { name: 'bpftrace-lhist', lowest: Number.NEGATIVE_INFINITY });
}

// As many as bpftrace allows.
const MOST_STEPS = 1000;

/**
 * Eight slots in each power of two: the recommended one. Integers from 0 to 15 have a slot each; above, slots are an
 * eighth as wide as their octave, so a quantile is within 12.5 %. 496 slots hold all integers of 64 bits.
 *
 * @param slots From 2 to 496; what is larger is in the last one. @default 496
 */
export function logLinear8Layout(slots: number = slotsOfWord(3)): KernelLayout {
  assertSlots(slots, slotsOfWord(3));
  return explicitKernelLayout(boundsFrom(0, slots, 3), { name: 'log-linear-8' });
}

/** How many slots hold all integers of 64 bits, when each octave has 2^k of them. */
function slotsOfWord(k: number): number {
  return (WORD_BITS - k + 1) * 2 ** k;
}

/** The bounds of `slots` slots, 2^k in each octave; the first one holds the integers from 0 to `first`, 0 or 1. */
function boundsFrom(first: 0 | 1, slots: number, k: number): number[] {
  return Array.from({ length: slots - 1 }, (_, slot) => integerBefore(lowerOf(slot + 1 + first, k)));
}

/** The smallest integer of a slot where 0 has slot 0: single integers up to 2^k, then 2^k slots for each octave. */
function lowerOf(slot: number, k: number): number {
  const parts = 2 ** k;
  if (slot < parts) return slot;
  return (parts + (slot % parts)) * 2 ** (Math.floor(slot / parts) - 1);
}

function assertSlots(slots: number, most: number): void {
  if (Number.isInteger(slots) && slots >= 2 && slots <= most) return;
  throw mustBe('ERR_INVALID_OPTION', 'slots', `an integer from 2 to ${most}`, slots);
}
