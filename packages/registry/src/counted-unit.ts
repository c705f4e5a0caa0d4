/** What somebody else has counted in. */
export type CountedUnit = 'ns' | 'us' | 'ms' | 's' | 'bytes' | 'KiB' | 'none';

/** How it is shown: the unit of a family, and how many of it one is. */
export interface ShownUnit {
  /** A UCUM unit: times are shown in seconds, sizes in bytes. */
  readonly unit: string;
  readonly scale: number;
}

/** How values of each unit are shown in a registry. */
export const SHOWN_UNITS: Readonly<Record<CountedUnit, ShownUnit>> = /* @__PURE__ */ Object.freeze({
  ns: { unit: 's', scale: 1e-9 },
  us: { unit: 's', scale: 1e-6 },
  ms: { unit: 's', scale: 1e-3 },
  s: { unit: 's', scale: 1 },
  bytes: { unit: 'By', scale: 1 },
  KiB: { unit: 'By', scale: 1024 },
  none: { unit: '', scale: 1 },
});
