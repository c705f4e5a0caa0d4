import { atOnce } from '@hdrscope/kit';
import { type MatchedLayout, matchLayout } from '../../src/bytecode/match-layout.ts';
import type { MapFacts } from '../../src/bytecode/run.ts';
import { measureSlots, type SlotSteps } from '../../src/bytecode/slot-steps.ts';
import { COUNTERS, codeOf, type Line } from './instructions.ts';

/** The map 7, as that of `codeOf`. */
export const TARGET = {
  isTarget: ({ id }: { readonly id: number }): boolean => id === 7,
  elementBytes: 8,
};

/** What a program shows of the map 7. */
export function measure(program: Uint8Array, map: MapFacts = COUNTERS): SlotSteps | undefined {
  return atOnce(measureSlots(codeOf(program, map), { ...TARGET, elementBytes: map.valueSize }));
}

export function measuredLayout(program: Uint8Array): MatchedLayout {
  return atOnce(matchLayout(measure(program)!));
}

/** A value in r6, and two others in r9 and r8. */
export const VALUES: readonly [Line, Line, Line] = [
  ['load64', 6, 1, 0],
  ['load64', 9, 1, 8],
  ['load64', 8, 1, 16],
];

/** r7 is 0 for values up to 9 in r6, and 1 for others. */
export const SLOT_OF_R6: readonly Line[] = [
  ['=', 7, 0],
  ['jump<=', 6, 9, 1],
  ['=', 7, 1],
];
