import { fromTicks, resolutionOf } from '@hdrscope/core/internal';
import { NumberReader } from '@hdrscope/kit/number-reader';
import { type CountedUnit, type FamilyOptions, SHOWN_UNITS, type SourceObserver } from '@hdrscope/registry';
import * as z from '#zod';
import { duration, mapping, oneOf, text, texts, unit, wholeNumber, yesOrNo } from '../config/values.ts';
import type { EntryContext } from '../part.ts';

// Keys that several sources have, and code for sources of numbers.

export const attributes: z.ZodPrefault<typeof texts> = texts
  .prefault({})
  .describe('Attributes of every series of the source.');

export const dropAttributes: z.ZodType<Readonly<Record<string, readonly string[]>>, unknown> = z
  .record(z.string(), z.array(text('the key of an attribute'), { error: 'must be a list of keys' }), {
    error: 'must be a mapping of families to lists of keys',
  })
  .default({})
  .describe(
    'Keys of attributes that series do not get, by the names of families, such as "http.*". Series that become equal are added up exactly.',
  );

export const since: z.ZodDefault<z.ZodEnum<{ beginning: 'beginning'; now: 'now' }>> = oneOf(
  'beginning',
  'now',
)
  .default('beginning')
  .describe('Whether counts from before the agent began count too, or only later ones.');

export const cardinalityLimit: z.ZodDefault<z.ZodNumber> = wholeNumber(1)
  .default(10_000)
  .describe('The largest number of series of one histogram. The overflow series takes the rest.');

export const expireAfter: z.ZodOptional<typeof duration> = duration
  .optional()
  .describe('The time after which a series ends that counts nothing. Default: series do not end.');

export const perCpu: z.ZodDefault<z.ZodBoolean> = yesOrNo(false).describe(
  'Whether each CPU has series of its own.',
);

export const bpftool: z.ZodDefault<z.ZodBoolean> = yesOrNo(false).describe(
  'Whether bpftool reads the maps, and not koffi.',
);

export const readTimeout: z.ZodPrefault<typeof duration> = duration
  .prefault('5s')
  .describe('How long a read may take.');

/** The family of values that have no metric name of their own. */
export interface MetricConfig {
  readonly name: string;
  /** `''` when there is no description. */
  readonly description: string;
  readonly unit: CountedUnit;
  readonly significantDigits: number;
  /** In `unit`. */
  readonly thresholds: readonly number[];
}

export const metric: z.ZodType<MetricConfig, unknown> = mapping({
  name: text('the name of a metric, such as rpc.duration').describe('The name of the family.'),
  description: z.string({ error: 'must be a text' }).default('').describe('A sentence for people.'),
  unit: unit
    .default('none')
    .describe('The unit of the values. Sinks show times in seconds, and sizes in bytes.'),
  significantDigits: wholeNumber(0, 5).default(3).describe('How many decimal digits of a value are kept.'),
  thresholds: z
    .array(z.number({ error: 'must be a number' }), { error: 'must be a list of numbers' })
    .default([])
    .describe(
      'Values of the unit at which recorded numbers count exactly. Prometheus gets a counter of the values within each.',
    ),
}).describe('The family of the values.');

/**
 * The family of a configured metric, and the conversion of counted values to the unit of the family: a value that is equal to a threshold
 * stays so.
 */
export function familyOf({ name, description, unit, significantDigits, thresholds }: MetricConfig): {
  readonly family: FamilyOptions;
  readonly convert: (value: number) => number;
} {
  const { unit: shown, scale } = SHOWN_UNITS[unit];
  const step = resolutionOf(scale);
  const convert = (value: number): number => fromTicks(step, value);
  const family = { name, description, unit: shown, significantDigits, thresholds: thresholds.map(convert) };
  return { family, convert };
}

/** What a source of numbers counts them as. */
interface NumbersConfig {
  readonly metric: MetricConfig;
  readonly attributes: Readonly<Record<string, string>>;
}

/**
 * Counts the numbers of a text that comes in parts.
 *
 * @param what The origin of the text, for messages: `standard input`.
 */
export function createNumberReader(config: NumbersConfig, context: EntryContext, what: string): NumberReader {
  const { family, convert } = familyOf(config.metric);
  const series = context.registry.histogram(family).with(config.attributes);
  return new NumberReader(
    {
      onNumbers(values, length) {
        for (let i = 0; i < length; i++) series.record(convert(values[i]!));
        context.added(length);
      },
      onBadLine({ lineNumber, text }) {
        const got = `${JSON.stringify(text)} in line ${lineNumber}`;
        context.failed(new Error(`${what} must be numbers, got ${got}`));
      },
    },
    // The series counts negative numbers as rejected.
    { column: 'every', smallest: -Number.MAX_VALUE },
  );
}

/** The observers of the maps of an entry, which works when all of them can be read, and not whenever one of them can. */
export function combineObservers(): {
  of(map: string, observer: SourceObserver): SourceObserver;
  /** A map that is gone fails no more. */
  forget(map: string): void;
} {
  const failing = new Set<string>();
  return {
    of: (map, observer) => ({
      ...observer,
      succeeded: () => {
        failing.delete(map);
        if (failing.size === 0) observer.succeeded?.();
      },
      failed: (error) => {
        failing.add(map);
        observer.failed?.(error);
      },
    }),
    forget: (map) => void failing.delete(map),
  };
}

/** The values of a list that are there. */
export function listDefined<Value>(values: readonly (Value | undefined)[]): readonly Value[] {
  return values.filter((value) => value !== undefined);
}
