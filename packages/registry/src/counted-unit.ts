/** A unit in which a source may have counted. */
export type CountedUnit = 'ns' | 'us' | 'ms' | 's' | 'bytes' | 'KiB' | 'none';

/** The unit of a family that shows counted values. */
export interface ShownUnit {
  /** A UCUM unit: times are shown in seconds, sizes in bytes. */
  readonly unit: string;
  /** One of the counted unit, in `unit`. */
  readonly scale: number;
}

/**
 * The unit in which a registry shows values of each counted unit.
 *
 * @example
 * ```ts
 * import { SHOWN_UNITS } from '@hdrscope/registry';
 *
 * SHOWN_UNITS.us; //=> { unit: 's', scale: 1e-6 }
 * ```
 */
export const SHOWN_UNITS: Readonly<Record<CountedUnit, ShownUnit>> = /* @__PURE__ */ Object.freeze({
  ns: { unit: 's', scale: 1e-9 },
  us: { unit: 's', scale: 1e-6 },
  ms: { unit: 's', scale: 1e-3 },
  s: { unit: 's', scale: 1 },
  bytes: { unit: 'By', scale: 1 },
  KiB: { unit: 'By', scale: 1024 },
  none: { unit: '', scale: 1 },
});
