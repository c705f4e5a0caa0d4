import type { Bounds } from '@hdrscope/core';
import type { LogHistogram } from '@hdrscope/interval-log';
import type { CountedUnit } from '@hdrscope/registry';

// docs/formats/percentiles.schema.json describes these documents.

/** Bounds between which a value certainly lies, both inclusive; `null` where one is open or nothing was counted. */
export interface BoundsJson {
  readonly from: number | null;
  readonly to: number | null;
}

/** A value, or the bounds of its slot where no more is known; `null` when nothing was counted. */
type FigureJson = number | null | BoundsJson;

/** The figures of one distribution, as every command prints them. */
export interface DistributionJson {
  readonly name: string;
  /** The unit of the values. */
  readonly unit: CountedUnit;
  /** `null` when the number of values is unknown. */
  readonly count: number | bigint | null;
  readonly min: FigureJson;
  readonly mean: FigureJson;
  readonly max: FigureJson;
  /** In the order of the command line. */
  readonly percentiles: readonly ({ readonly percentile: number } & (
    | { readonly value: number | null }
    | BoundsJson
  ))[];
}

/** How the values of a histogram become those of the document. */
interface DistributionOptions {
  readonly name: string;
  readonly unit: CountedUnit | '';
  readonly percentiles: readonly number[];
  /** A value of the histogram in the unit. */
  readonly shown: (value: number) => number;
}

/** The figures of a histogram that has every value. */
export function distributionJson(
  histogram: LogHistogram,
  { name, unit, percentiles, shown }: DistributionOptions,
): DistributionJson {
  const isEmpty = histogram.totalCount === 0;
  const figure = (value: number): number | null => (isEmpty ? null : shown(value));
  const values = histogram.valuesAtPercentiles(percentiles);
  return {
    name,
    unit: unit === '' ? 'none' : unit,
    count: histogram.totalCount,
    min: figure(histogram.min),
    mean: figure(histogram.mean),
    max: figure(histogram.max),
    percentiles: percentiles.map((percentile, at) => ({ percentile, value: figure(values[at]!) })),
  };
}

/** Bounds for programs: infinite ones are open, and `NaN` is unknown. */
export function boundsJson({ lower, upper }: Bounds): BoundsJson {
  return { from: finite(lower), to: finite(upper) };
}

function finite(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}

/** A document of JSON for a whole output. */
export function jsonDocument(document: object): string {
  return `${JSON.stringify(document, undefined, 2)}\n`;
}
