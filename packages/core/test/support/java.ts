import { readFileSync } from 'node:fs';
import type { Storage } from '../../src/counts/readonly-counts.ts';
import { Histogram } from '../../src/histogram/histogram.ts';

// HdrHistogram made the fixtures, with tools/goldens, which describes their format.

/** A number, or its digits when a double cannot hold the integer. */
export type JavaNumber = number | string;

export interface JavaOptions {
  readonly lowestDiscernibleValue: JavaNumber;
  readonly highestTrackableValue: JavaNumber;
  readonly significantDigits: number;
  readonly autoResize: boolean;
}

type JavaOperation = readonly [value: JavaNumber, count?: JavaNumber, expectedInterval?: number];

interface ValueGenerator {
  readonly kind: 'uniform' | 'lognormal';
  readonly seed: number;
  readonly n: number;
  readonly min: number;
  readonly shift: number;
  readonly scale: number;
}

export interface JavaRecording {
  readonly recorded?: readonly JavaOperation[];
  readonly generator?: ValueGenerator;
}

export interface JavaCase extends JavaRecording {
  readonly name: string;
  readonly options: JavaOptions;
}

export interface JavaFixture<Case> {
  readonly madeBy: string;
  readonly cases: readonly Case[];
}

export function javaFixture<Case>(name: string): JavaFixture<Case> {
  return JSON.parse(readFileSync(new URL(`../fixtures/java/${name}.json`, import.meta.url), 'utf8'));
}

/** The reason why a recording cannot be replayed here yet, if there is one. */
export function reasonToSkip({ recorded = [] }: JavaRecording): string | undefined {
  if (recorded.some(([, count]) => typeof count === 'string')) return 'counts above 2^53 - 1';
  if (recorded.reduce((sum, [, count = 1]) => sum + Number(count), 0) > Number.MAX_SAFE_INTEGER) {
    return 'totals above 2^53 - 1';
  }
  return undefined;
}

export function made(
  { options, ...recording }: JavaRecording & { options: JavaOptions },
  storage: Storage,
): Histogram {
  const { lowestDiscernibleValue, highestTrackableValue, significantDigits, autoResize } = options;
  const histogram = new Histogram({
    lowestDiscernibleValue: BigInt(lowestDiscernibleValue),
    highestTrackableValue: BigInt(highestTrackableValue),
    significantDigits,
    autoResize,
    storage,
  });
  record(histogram, recording);
  return histogram;
}

/** Records into any histogram. Fixtures of doubles have numbers only. */
export function record(
  histogram: Pick<Histogram, 'record' | 'recordCorrected'>,
  { recorded = [], generator }: JavaRecording,
): void {
  if (generator !== undefined) for (const value of valuesOf(generator)) histogram.record(value);
  for (const [value, count = 1, expectedInterval = 0] of recorded) {
    histogram.recordCorrected(valueIn(value), expectedInterval, Number(count));
  }
}

function valueIn(value: JavaNumber): number | bigint {
  return typeof value === 'string' ? BigInt(value) : value;
}

const known = new Map<string, number[]>();

/** Several fixtures ask for the same values, with every storage. */
function valuesOf(generator: ValueGenerator): readonly number[] {
  const key = JSON.stringify(generator);
  const values = known.get(key) ?? [...generated(generator)];
  known.set(key, values);
  return values;
}

function* generated({
  kind,
  seed,
  n,
  min,
  shift,
  scale,
}: ValueGenerator): Generator<number, void, undefined> {
  let state = seed;
  const next = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state;
  };
  for (let i = 0; i < n; i++) {
    const x = kind === 'uniform' ? next() : 2 ** onesOf(next() >>> 16) * (1024 + (next() >>> 22));
    yield (min + Math.floor(x / 2 ** shift)) * scale;
  }
}

function onesOf(bits: number): number {
  let ones = 0;
  for (let rest = bits; rest !== 0; rest &= rest - 1) ones++;
  return ones;
}
