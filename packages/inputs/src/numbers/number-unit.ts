import type { Resolution } from '@hdrscope/core';
import { fromTicks, resolutionOf } from '@hdrscope/core/internal';
import { nanosecondsPer, type Quantity, quantityOf } from '@hdrscope/kit';
import { type CountedUnit, SHOWN_UNITS } from '@hdrscope/registry';
import { defaultResolution } from '@hdrscope/registry/internal';

/** The unit of numbers, and the step between two numbers that are kept apart. */
export interface NumberUnit {
  readonly unit: CountedUnit;
  /** The step, in the unit. */
  readonly step: number;
  readonly resolution: Resolution;
}

export const NUMBER_UNITS = Object.keys(SHOWN_UNITS) as readonly CountedUnit[];

/** The units of time that values may be in. */
export const TIME_UNITS: readonly ['ns', 'us', 'ms', 's'] = ['ns', 'us', 'ms', 's'];

/** How many of a unit are one millisecond; 1 when the unit does not measure time. */
export function perMs(unit: CountedUnit): number {
  const ns = nanosecondsPer(unit);
  return ns === undefined ? 1 : 1e6 / ns;
}

// Names of units in a registry, which uses UCUM.
const UCUM: Readonly<Partial<Record<CountedUnit, string>>> = { bytes: 'By', none: '' };

/** A unit with its resolution. Without `step` it is a nanosecond for times, a byte for sizes, else a thousandth. */
export function numberUnit(unit: CountedUnit, step: number = stepOf(unit)): NumberUnit {
  return { unit, step, resolution: resolutionOf(step) };
}

/** The step of a unit unless a person states another. */
export function stepOf(unit: CountedUnit): number {
  // A KiB is counted in whole bytes.
  return unit === 'KiB' ? 1 / 1024 : defaultResolution(UCUM[unit] ?? unit);
}

/** How many ticks one of the unit has; a fraction when a tick is larger than the unit. */
export function ticksPerUnit({ resolution: { ticksPerUnit: ticks, unitsPerTick } }: NumberUnit): number {
  return ticks / unitsPerTick;
}

/** Converts ticks to the unit, without the digits of rounding errors. */
export function inUnit({ resolution }: NumberUnit, ticks: number): number {
  return Number(fromTicks(resolution, ticks).toPrecision(15));
}

// Numbers with units.

/** What a value measures. */
type Measure = 'time' | 'size';

/** A number with its unit, such as `12ms` or `4 KiB`. */
export interface NumberWithUnit extends Quantity {
  readonly measure: Measure;
  /** The unit in which values like this one are shown. */
  readonly unit: CountedUnit;
}

/** Reads a number with its unit; `undefined` for a number alone, and for other texts. */
export function numberWithUnit(text: string): NumberWithUnit | undefined {
  // Most texts have one of these units, and there may be millions of texts.
  const [, number, name] = COMMON.exec(text) ?? [];
  const unit = TIME_UNITS.find((one) => one === name);
  if (unit !== undefined) {
    const amount = Number(number) * nanosecondsPer(unit);
    // 15 digits hide rounding errors, and keep parts of a nanosecond, which a resolution may ask for.
    return {
      measure: 'time',
      amount: Number.isInteger(amount) ? amount : Number(amount.toPrecision(15)),
      unit,
    };
  }
  const { measure, amount } = quantityOf(text) ?? { measure: 'number', amount: 0 };
  if (measure === 'number') return undefined;
  if (measure === 'size') return { measure, amount, unit: text.endsWith('iB') ? 'KiB' : 'bytes' };
  // Longer durations, such as 1h30m, are shown in seconds.
  return { measure, amount, unit: /[\u00b5\u03bc]s$/.test(text) ? 'us' : 's' };
}

const COMMON = /^(\d+(?:\.\d+)?) ?(ns|us|ms|s)$/;

/** What values of a unit measure; `undefined` when they have no unit. */
export function measureOf(unit: CountedUnit): Measure | undefined {
  const { unit: shown } = SHOWN_UNITS[unit];
  return shown === 's' ? 'time' : shown === 'By' ? 'size' : undefined;
}

/** A quantity in a unit; `undefined` when the unit measures something else. */
export function quantityIn({ measure, amount }: Quantity, unit: CountedUnit): number | undefined {
  if (measureOf(unit) !== measure) return undefined;
  return amount / (nanosecondsPer(unit) ?? SHOWN_UNITS[unit].scale);
}

/** How many of a unit are one of another; `undefined` when they measure different things. */
export function unitsPer(one: CountedUnit, other: CountedUnit): number | undefined {
  if (measureOf(one) !== measureOf(other)) return undefined;
  // Integers, because 1e-6 / 1e-9 is 1000.0000000000001.
  const [a, b] = [one, other].map((unit) => nanosecondsPer(unit) ?? SHOWN_UNITS[unit].scale);
  return a! / b!;
}
