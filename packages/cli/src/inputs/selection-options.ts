import { HdrscopeError } from '@hdrscope/core';
import type { InputForm } from '@hdrscope/inputs';
import { readIntervals, type Selection } from '@hdrscope/interval-log';
import { listNames, suggestion } from '@hdrscope/kit';
import { Refusal } from '../command.ts';
import { defineOptions, type OptionsOf } from '../define-command.ts';
import { parseMoment } from '../moment.ts';
import type { Input } from './input.ts';
import { quoted } from './numbers.ts';

/** The selected tags; `undefined` among them selects the intervals without a tag. */
type SelectedTags = readonly (string | undefined)[];

function addTag(tag: string | undefined, _: string, others: SelectedTags = []): SelectedTags {
  return [...others, tag];
}

export const TAGS = defineOptions({
  tag: { value: '<tag>', help: 'only intervals with this tag; may be repeated', parse: addTag },
  // Commander would treat it as the opposite of --tag. Here it selects one more group of intervals.
  noTag: { help: 'only intervals without a tag; with --tag: those too', parse: addTag },
});

export const SELECTION = defineOptions({
  ...TAGS,
  since: {
    value: '<moment>',
    help: 'only intervals that start then or later: seconds or a duration after the start of the log (90, 1m30s), a date (2026-03-01T12:00:00Z), or seconds since 1970',
    parse: parseMoment,
  },
  until: { value: '<moment>', help: 'only intervals that start before then', parse: parseMoment },
});

/** The part of a log that the options select. It is empty when they select everything. */
export function selectionOf({ tag, since, until }: Partial<OptionsOf<typeof SELECTION>>): Selection {
  return { ...(tag && { tags: tag }), ...(since && { since }), ...(until && { until }) };
}

/** How people make a log of requests, whose times and tags commands know. */
export function describeRecording(name: string): string {
  return `hdrscope record ${quoted(name)} --by LABEL --every 1m -o FILE.hlog makes one of its requests`;
}

/** @throws Refusal when the selection asks for a part of an input that is no interval log. */
export function assertWhole(
  { name, stretches }: Pick<Input, 'name' | 'stretches'>,
  selection: Selection,
): void {
  if (Object.keys(selection).length === 0) return;
  const cure =
    stretches === undefined ? 'hdrscope log slice copies a part of a log' : describeRecording(name);
  throw new Refusal(
    `${name} is no interval log: --tag, --no-tag, --since and --until select a part of logs only; ${cure}`,
  );
}

// Too many tags.

const CURE = '--tag TAG chooses one and may be repeated; hdrscope log process -listtags -i FILE lists all';

/** The parts of an operation that are too large when a log has too many tags. */
const OF_TAGS: ReadonlySet<unknown> = new Set(['tags', 'histograms']);

/** Throws the error of an operation that holds a part for each tag. Too many tags become a sentence with the cure. */
export function explainTagLimit(error: unknown): never {
  if (!(error instanceof HdrscopeError) || error.code !== 'ERR_TOO_LARGE') throw error;
  if (!OF_TAGS.has(error.details.what)) throw error;
  throw new Refusal(`${error.message.split(':')[0]}: ${CURE}`, { cause: error });
}

// A terminal or a picture with more curves shows nothing, and each takes a millisecond.
const MOST_CURVES = 100;

/** @throws Refusal when a log has more tags than a plot can show. */
export function assertCurves(count: number, name: string): void {
  if (count <= MOST_CURVES) return;
  throw new Refusal(
    `${name} has ${count} tags, and a plot shows at most ${MOST_CURVES}: ${CURE}, and --kind over-time and bars draw all together`,
  );
}

// Tags of a selection.

/** A message has no more names than these. */
const MOST_NAMES = 5;

/**
 * Looks whether each tag of a selection is in one of some logs, and reads no further than it takes. Logs that can be read only once are
 * not looked at.
 *
 * @throws Refusal when none has it: a wrong name would select nothing, as if there were no values.
 */
export async function assertTags(
  inputs: readonly Pick<Input<InputForm>, 'kind' | 'name' | 'source'>[],
  { tags = [] }: Selection,
): Promise<void> {
  const missing = new Set([...tags].filter((tag) => tag !== undefined));
  if (missing.size === 0) return;
  const known = new Set<string>();
  for (const { kind, source } of inputs) {
    if (kind !== 'log' || typeof source !== 'string') return;
    for await (const { tag } of readIntervals(source, { onMalformed: () => {} })) {
      if (tag === undefined || known.has(tag)) continue;
      known.add(tag);
      missing.delete(tag);
      if (missing.size === 0) return;
    }
  }
  const [first = ''] = missing;
  const names = [...known];
  const all = names.length === 0 ? 'no interval has a tag' : `the tags are ${listNames(names, MOST_NAMES)}`;
  throw new Refusal(
    `no interval of ${inputs.map(({ name }) => name).join(', ')} has the tag '${first}'${suggestion(first, names) || `: ${all}`}`,
  );
}
