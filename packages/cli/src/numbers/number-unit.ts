import type { Resolution } from '@hdrscope/core';
import { fromTicks, resolutionOf } from '@hdrscope/core/internal';
import { nanosecondsPer } from '@hdrscope/kit';
import { type CountedUnit, defaultResolution, SHOWN_UNITS } from '@hdrscope/registry';
import { Option } from 'commander';
import { integerParser, wrongOption } from '../arguments.ts';

/** The unit of numbers, and the step between two numbers that are kept apart. */
export interface NumberUnit {
  readonly unit: CountedUnit;
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
  return { unit, resolution: resolutionOf(step) };
}

/** The step of a unit unless a person states another. */
export function stepOf(unit: CountedUnit): number {
  // A KiB is counted in whole bytes.
  return unit === 'KiB' ? 1 / 1024 : defaultResolution(UCUM[unit] ?? unit);
}

/** `--resolution`: a number above 0. */
export function resolutionOption(): Option {
  const help = 'the step between two values that are kept apart, in the unit';
  return new Option('--resolution <step>', help)
    .default(undefined, 'a nanosecond, a byte, or 0.001')
    .argParser((text) => {
      const step = /^\d+(\.\d+)?(e-?\d+)?$/.test(text) ? Number(text) : Number.NaN;
      if (step > 0 && Number.isFinite(step) && Number.isFinite(1 / step)) return step;
      throw wrongOption('--resolution', 'a number above 0, as in 0.001 or 1e-6', text);
    });
}

/** How many ticks one of the unit has; a fraction when a tick is larger than the unit. */
export function ticksPerUnit({ resolution: { ticksPerUnit: ticks, unitsPerTick } }: NumberUnit): number {
  return ticks / unitsPerTick;
}

/** Converts ticks to the unit, without the digits of rounding errors. */
export function inUnit({ resolution }: NumberUnit, ticks: number): number {
  return Number(fromTicks(resolution, ticks).toPrecision(15));
}

/** `--digits`: an integer from 0 to 5. */
export function digitsOption(help: string): Option {
  return new Option('--digits <number>', help).argParser(integerParser('--digits', 0, 5));
}
