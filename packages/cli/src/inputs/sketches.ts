import type { BoundedHistogram } from '@hdrscope/core/internal';
import {
  boundCounts,
  closeSketch,
  findSketchStep,
  NUMBER_UNITS,
  type NumberUnit,
  numberUnit,
  ticksPerUnit,
  unitsPer,
} from '@hdrscope/inputs/internal';
import type { CountedUnit } from '@hdrscope/registry';
import { between, readDecimal } from '../arguments.ts';
import { type Io, Refusal } from '../command.ts';
import { defineOptions, type OptionsOf } from '../define-command.ts';
import { WHERE } from '../options.ts';
import { wrapToScreen } from '../screen/help-text.ts';
import type { ReadingProgress } from '../screen/progress.ts';
import { type FormName, READ_FORMS } from './forms.ts';
import type { Input } from './input.ts';
import { readBytes, readForm, recogniseForm } from './read-form.ts';
import type { OpenedSketch, ReadSketch } from './read-sketch.ts';

const NUMBER = {
  allowed: 'a number',
  parse: between(Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY, (text) =>
    text.startsWith('-') ? -readDecimal(text.slice(1)) : readDecimal(text),
  ),
} as const;

/** What a person states of distributions that other programs have counted. */
export const SKETCH_OPTIONS = defineOptions({
  from: {
    value: '<form>',
    help: 'the form of a sketch: see hdrscope convert --help',
    choices: READ_FORMS,
    fallback: 'by its content',
  },
  metric: {
    value: '<name>',
    help: 'the distribution of this name, of a form that has several',
    fallback: 'the only one',
  },
  where: {
    ...WHERE,
    help: 'key=value: only the distributions with this label; may be repeated',
    fallback: 'all',
  },
  min: {
    value: '<number>',
    help: 'the smallest value, which closes a slot without a lower bound',
    ...NUMBER,
    fallback: 'as the file states it',
  },
  max: {
    value: '<number>',
    help: 'the largest value, which closes a slot without an upper bound',
    ...NUMBER,
    fallback: 'as the file states it',
  },
});

/** What a command line states of sketches. */
export type SketchOptions = Partial<OptionsOf<typeof SKETCH_OPTIONS>>;

/** Reads all distributions of an input, and writes what is lost to standard error. @throws Refusal, UsageError */
export async function readSketches(
  { name, source }: Pick<Input, 'name' | 'source'>,
  { from, min, max }: SketchOptions,
  progress: ReadingProgress,
  io: Io,
): Promise<{ readonly form: FormName; readonly sketches: readonly ReadSketch[] }> {
  const bytes = await readBytes(source, name, progress);
  const { form, notes, sketches } = await readForm(from ?? recogniseForm(bytes, name), bytes, name);
  for (const note of notes) await io.stderr.write(`${wrapToScreen(`hdrscope: ${note}`, io)}\n`);
  return { form, sketches: sketches.map((one) => ({ ...one, min: min ?? one.min, max: max ?? one.max })) };
}

/**
 * The distributions that the options choose, at least one.
 *
 * @param isSingle Whether there must be one only.
 * @throws Refusal
 */
export function selectSketches(
  sketches: readonly ReadSketch[],
  { metric, where = {} }: SketchOptions,
  name: string,
  isSingle: boolean,
): readonly [ReadSketch, ...ReadSketch[]] {
  const chosen = sketches.filter(
    (one) =>
      (metric === undefined || one.name === metric) &&
      Object.entries(where).every(([key, value]) => one.attributes[key] === value),
  );
  const [first, ...others] = chosen;
  if (first !== undefined && (!isSingle || others.length === 0)) return [first, ...others];
  if (sketches.length === 0) throw new Refusal(`${name} has no histograms`);
  const known = (chosen.length === 0 ? sketches : chosen).map(describeSketch);
  const listed =
    known.length > MOST_LISTED ? `${known.slice(0, MOST_LISTED).join(', ')} and others` : known.join(', ');
  throw new Refusal(
    chosen.length === 0
      ? `${name} has no such distribution; it has ${listed}`
      : `${name} has ${chosen.length} distributions, and one is taken at a time: --metric and --where choose it from ${listed}`,
  );
}

const MOST_LISTED = 5;

/** A distribution by its name and labels. */
function describeSketch({ name, attributes }: ReadSketch): string {
  const pairs = Object.entries(attributes).map(([key, value]) => `${key}=${value}`);
  return pairs.length === 0 ? name : `${name} (${pairs.join(', ')})`;
}

/** Adds the name of an input to an error, and the option that closes a slot. */
export function withCure<T>(name: string, convert: () => T): T {
  try {
    return convert();
  } catch (error) {
    if (!(error instanceof Error) || (error as { code?: unknown }).code !== 'ERR_INCOMPATIBLE') throw error;
    throw new Refusal(`${name}: ${describeCure(error.message)}`, { cause: error });
  }
}

function describeCure(message: string): string {
  const cure = /nothing states the (smallest|largest)/.exec(message);
  return cure === null ? message : `${message}: ${cure[1] === 'smallest' ? '--min' : '--max'} does`;
}

// Sketches as inputs with figures.

/** How a command takes sketches. */
export interface TakenSketches extends SketchOptions {
  /** The unit of values whose form does not state it. @default none */
  readonly unit?: CountedUnit | undefined;
  /** Whether a file must have one distribution only. @default each is an input */
  readonly isSingle?: boolean;
}

/** Opens the distributions of an input: each becomes an input of figures, which knows its values within the bounds of its slots. @throws Refusal */
export async function openSketches(
  input: Pick<Input, 'name' | 'title' | 'source'>,
  options: TakenSketches,
  progress: ReadingProgress,
  io: Io,
): Promise<readonly Input<'recorded'>[]> {
  const { sketches } = await readSketches(input, options, progress, io);
  const chosen = selectSketches(sketches, options, input.name, options.isSingle === true);
  return chosen.map((stated): Input<'recorded'> => {
    const unit = NUMBER_UNITS.find((one) => one === stated.unit) ?? options.unit ?? 'none';
    const sketch = { ...stated, ...closeSketch(stated), unit };
    const of = chosen.length === 1 ? '' : ` ${describeSketch(stated)}`;
    return {
      kind: 'recorded',
      ...{ name: `${input.name}${of}`, title: `${input.title}${of}`, source: input.source, sketch },
      beginning: `{"unit":"${unit}","resolution":${findSketchStep(sketch, unit)},`,
    };
  });
}

/** The values of a sketch within the bounds of their slots, in steps of a unit. @throws Refusal */
export function boundSketch(
  sketch: OpenedSketch,
  wanted: NumberUnit,
  name: string,
): { readonly values: BoundedHistogram; readonly perUnit: number } {
  const factor = unitsPer(sketch.unit, wanted.unit);
  if (factor === undefined)
    throw new Refusal(`${name} is in ${sketch.unit}, and the others in ${wanted.unit}`);
  const perUnit = Number((factor * ticksPerUnit(wanted)).toPrecision(12));
  const values = boundCounts(sketch, perUnit);
  if (typeof values === 'string') throw new Refusal(`${name}: ${describeCure(values)}`);
  return { values, perUnit };
}

/** The unit in which the values of a sketch are counted, when nothing else is counted with them. */
export function findSketchUnit(sketch: OpenedSketch): NumberUnit {
  return numberUnit(sketch.unit, findSketchStep(sketch, sketch.unit));
}
