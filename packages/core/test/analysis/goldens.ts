import { readFileSync } from 'node:fs';
import { Histogram } from '../../src/histogram/histogram.ts';
import { type JavaRecording, record } from '../support/java.ts';

// SciPy and mpmath made these numbers: see fixtures/generate.py.

type Rows = readonly (readonly number[])[];
type Generator = NonNullable<JavaRecording['generator']>;

interface Goldens {
  readonly beta: Rows;
  readonly student: Rows;
  readonly studentQuantile: Rows;
  readonly normal: Rows;
  readonly normalQuantile: Rows;
  readonly stirlingRest: Rows;
  readonly kolmogorov: Rows;
  readonly rankInterval: Rows;
  readonly samples: readonly SamplesGolden[];
}

export interface SamplesGolden {
  readonly name: string;
  readonly digits: number;
  readonly a: Generator;
  readonly b: Generator;
  readonly skewness: readonly [number, number];
  readonly excessKurtosis: readonly [number, number];
  readonly kolmogorovSmirnov: { readonly statistic: number; readonly pValue: number };
  readonly mannWhitney: { readonly u: number; readonly pValue: number };
  readonly welch: {
    readonly t: number;
    readonly degreesOfFreedom: number;
    readonly pValue: number;
    readonly lower99: number;
    readonly upper99: number;
  };
}

export const goldens: Goldens = JSON.parse(
  readFileSync(new URL('./fixtures/scipy.json', import.meta.url), 'utf8'),
) as Goldens;

/** The two samples of a golden. */
export function samplesOf({ digits, a, b }: SamplesGolden): [Histogram, Histogram] {
  return [a, b].map((generator) => {
    const histogram = new Histogram({ significantDigits: digits, storage: 'sparse' });
    record(histogram, { generator });
    return histogram;
  }) as [Histogram, Histogram];
}

export function expectWithin(actual: number, expected: number, relative: number): void {
  if (Math.abs(actual - expected) <= relative * Math.abs(expected)) return;
  expect(actual).toBe(expected);
}
