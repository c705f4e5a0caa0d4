import type { Resolution } from '@hdrscope/core';

// A value that was in another unit before, such as milliseconds, has been rounded twice.
const VALUE_ROUNDING = 2 ** -51;
// A registry rounds its sum at each record since its start, and a row has the difference of two such sums. By estimate, the random errors of a
// minute's additions are this part of the minute's sum in a process that has run for a month.
const SUM_ROUNDING = 2 ** -36;

/** A value in ticks. It is an integer when the value is that tick, up to the rounding of two conversions between units. */
export function valueInTicks(value: number, resolution: Resolution): number {
  return nearestWhole(ticksOf(value, resolution), VALUE_ROUNDING);
}

/** The sum of values in ticks. It is an integer when that changes it by 2^-36 of itself at most: the rounding of additions is as large. */
export function sumInTicks(sum: number, resolution: Resolution): number {
  return nearestWhole(ticksOf(sum, resolution), SUM_ROUNDING);
}

function nearestWhole(ticks: number, rounding: number): number {
  const whole = Math.round(ticks);
  return Math.abs(ticks - whole) <= whole * rounding ? whole : ticks;
}

function ticksOf(value: number, { ticksPerUnit, unitsPerTick }: Resolution): number {
  return (value * ticksPerUnit) / unitsPerTick;
}
