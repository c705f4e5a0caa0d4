import { HdrscopeError } from '@hdrscope/core';
import type { Steps } from '@hdrscope/kit';
import { parseKernelLayout } from '../layout/by-name.ts';
import { explicitKernelLayout, isOfSingleIntegers, type KernelLayout } from '../layout/kernel-layout.ts';
import type { Step } from './find-slots.ts';
import { NotMeasured } from './not-measured.ts';
import { firstNegative } from './partition.ts';
import type { SlotSteps } from './slot-steps.ts';

/** The layout by which a program counts. */
export interface MatchedLayout {
  readonly layout: KernelLayout;
  /** The layout as options and messages have it: `libbpf-tools:27`, or upper bounds. */
  readonly text: string;
  /** By what the program divides values before it counts them; 1 when it does not. */
  readonly divisor: bigint;
}

/**
 * Finds the layout of slots that were measured: the name of a tool whose slots are exactly the same, or else their bounds. Layouts with
 * powers of two may be those of values that the program has divided.
 *
 * @param begin Offset of index 0 in the value, in bytes, when the slots are there. The default is that of the first slot.
 * @throws NotMeasured when the slots do not follow each other.
 */
export function* matchLayout(
  { steps, place, divisors }: SlotSteps,
  begin: number = place.offset,
): Steps<MatchedLayout> {
  const indexOf = (slot: bigint): number =>
    place.in === 'key' ? Number(slot) : (Number(slot) - begin) / place.size;
  const ordered = yield* inOrder(steps);
  const slots = ordered.map(({ from, to, slot }) => ({ from, to, index: indexOf(slot!) }));
  if (slots.length < 2) throw new NotMeasured('all values are counted in one slot');
  if (slots.some(({ index }) => !Number.isSafeInteger(index))) {
    throw new NotMeasured('its slots are not counters side by side');
  }
  const isOpen = slots[0]!.from === -firstNegative(steps.at(-1)!.to);
  // A program that counts no negative value has its first slot begin at 0, although its instructions say what would become of one.
  const lowest = !isOpen ? toDouble(slots[0]!.from) : slots[0]!.to >= 0n ? 0 : Number.NEGATIVE_INFINITY;
  yield;
  const indices = slots.map(({ index }) => index);
  const isGapless = indices.every((index, i) => index === indices[0]! + i);
  if (isGapless) {
    for (const divisor of [1n, ...divisors]) {
      for (const text of namesFor(slots, divisor)) {
        yield;
        const layout = layoutNamed(text);
        if (layout === undefined || !fits(layout, slots, divisor, lowest)) continue;
        // Integers that were divided are equal steps, whose bounds are exact in the unit of the value.
        if (divisor === 1n || !isOfSingleIntegers(layout)) return { layout, text, divisor };
      }
    }
  }
  const bounds = slots.slice(0, -1).map(({ to }) => toDouble(to));
  const layout = explicitKernelLayout(bounds, {
    lowest,
    ...(isGapless ? { firstIndex: indices[0]! } : { keys: indices }),
  });
  return { layout, text: textOf(bounds), divisor: 1n };
}

/** The steps with a slot, in ascending order of values that are unsigned, or else signed. */
function* inOrder(steps: readonly Step[]): Steps<readonly Step[]> {
  const sign = firstNegative(steps.at(-1)!.to);
  const isHigh = ({ from }: Step) => from >= sign;
  const low = steps.filter((step) => !isHigh(step));
  const high = steps.filter(isHigh);
  const negative = high.map(({ from, to, slot }) => ({ from: from - 2n * sign, to: to - 2n * sign, slot }));
  const found = (yield* ascending([...low, ...high])) ?? (yield* ascending([...negative, ...low]));
  if (found === undefined) throw new NotMeasured('its slots do not follow each other');
  return found;
}

/** @returns `undefined` when the slots do not ascend, or have a gap in which nothing is counted. */
function* ascending(steps: readonly Step[]): Steps<readonly Step[] | undefined> {
  const merged: Step[] = [];
  for (const step of steps) {
    const before = merged.at(-1);
    if (before?.slot === step.slot && before !== undefined)
      merged[merged.length - 1] = { ...before, to: step.to };
    else merged.push(step);
    yield;
  }
  const first = merged.findIndex(({ slot }) => slot !== undefined);
  const last = merged.findLastIndex(({ slot }) => slot !== undefined);
  const counted = merged.slice(first, last + 1);
  const isAscending = counted.every(
    ({ slot }, i) => slot !== undefined && (i === 0 || slot > counted[i - 1]!.slot!),
  );
  return isAscending ? counted : undefined;
}

interface Slot {
  readonly from: bigint;
  readonly to: bigint;
  readonly index: number;
}

/** The names of layouts with so many slots. The first that fits is the most usual one. */
function namesFor(slots: readonly Slot[], divisor: bigint): readonly string[] {
  const count = slots.length;
  const { index } = slots[0]!;
  const powers = [
    `libbpf-tools:${count}`,
    `bcc:${count + 1}`,
    `inspektor-gadget:${count}`,
    `exporter-exp2:${count - 1}`,
    `exporter-exp2zero:${count - 1}`,
    'queue-depth',
    `log-linear-8:${count}`,
    ...[0, 1, 2, 3, 4, 5].flatMap((k) => [`bpftrace-hist:${k}:${count}`, `bpftrace-hist:${k}:${count + 1}`]),
  ];
  if (divisor !== 1n) return powers;
  const [, second, third] = slots;
  const isEqual = second !== undefined && third !== undefined && index === 0;
  const step = isEqual ? third.from - second.from : 1n;
  const max = isEqual ? second.from + BigInt(count - 2) * step : 0n;
  return [
    ...powers,
    `exporter-linear:${count - 1}`,
    ...(isEqual ? [`bpftrace-lhist:${second.from}:${max}:${step}`] : []),
  ];
}

function layoutNamed(text: string): KernelLayout | undefined {
  try {
    return parseKernelLayout(text);
  } catch (error) {
    if (error instanceof HdrscopeError) return undefined;
    throw error;
  }
}

function fits(
  { slots: layout, firstIndex }: KernelLayout,
  slots: readonly Slot[],
  divisor: bigint,
  lowest: number,
): boolean {
  // The slot for negative values of a layout is not used where values have no sign.
  const unused = layout.bounds[0] === -1 && lowest === 0 ? 1 : 0;
  if (layout.slotCount !== slots.length + unused || firstIndex + unused !== slots[0]!.index) return false;
  const isLowest = unused === 1 || layout.lower(0) === lowest;
  return isLowest && layout.bounds.slice(unused).every((bound, i) => isBound(bound, slots[i]!.to, divisor));
}

/** Whether a bound is that of a slot, once it is multiplied. A bound above 2^53 is the double below it. */
function isBound(bound: number, to: bigint, divisor: bigint): boolean {
  if (divisor === 1n) return toDouble(to) === bound;
  // (2^k - 1 + 1) * divisor - 1, also where 2^k - 1 is not a double.
  const next = Number.isSafeInteger(bound) ? BigInt(bound) + 1n : undefined;
  return next === undefined ? toDouble((to + 1n) / divisor - 1n) === bound : next * divisor - 1n === to;
}

/** The largest double that is not above an integer. */
function toDouble(integer: bigint): number {
  const near = Number(integer);
  if (BigInt(near) <= integer) return near;
  let step = 1;
  while (near - step === near) step *= 2;
  return near - step;
}

const MOST_SHOWN = 8;

function textOf(bounds: readonly number[]): string {
  const shown = bounds.slice(0, MOST_SHOWN).join(',');
  return bounds.length > MOST_SHOWN ? `${shown},… (${bounds.length} bounds)` : shown;
}
