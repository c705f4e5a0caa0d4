import { HdrscopeError } from '@hdrscope/core';
import type { Moment, Selection } from '@hdrscope/interval-log';
import { type Command, Option } from 'commander';
import { Refusal } from '../command.ts';
import { defineOptions } from '../define-command.ts';
import { parseMoment } from './moment.ts';

/** The options that select a part of a log. */
export interface SelectingOptions {
  /** The selected tags; `undefined` among them selects the intervals without a tag. */
  readonly tag?: readonly (string | undefined)[] | undefined;
  readonly from?: Moment;
  readonly to?: Moment;
}

/** Adds `--tag`, `--no-tag`, `--from` and `--to` to a command. */
export function addSelection(parser: Command): Command {
  return addTags(parser)
    .option(
      '--from <moment>',
      'only intervals that start then or later: seconds or a duration after the start of the log (90, 1m30s), a date (2026-03-01T12:00:00Z), or seconds since 1970',
      (text) => parseMoment(text, '--from'),
    )
    .option('--to <moment>', 'only intervals that start before then', (text) => parseMoment(text, '--to'));
}

/** Adds `--tag` and `--no-tag` alone. */
export function addTags(parser: Command): Command {
  const collected = (tag: string | undefined, others: SelectingOptions['tag'] = []) => [...others, tag];
  return parser.option('--tag <tag>', 'only intervals with this tag; may be repeated', collected).addOption(
    // Commander would treat it as the opposite of --tag. Here it selects one more group of intervals.
    new Option('--no-tag', 'only intervals without a tag; with --tag: those too').argParser(collected),
  );
}

function addTag(tag: string | undefined, _: string, others: SelectingOptions['tag'] = []) {
  return [...others, tag];
}

/** `--tag` and `--no-tag`. */
export const TAGS = defineOptions({
  tag: { value: '<tag>', help: 'only intervals with this tag; may be repeated', parse: addTag },
  // Commander would treat it as the opposite of --tag. Here it selects one more group of intervals.
  noTag: { help: 'only intervals without a tag; with --tag: those too', parse: addTag },
});

/** `--tag`, `--no-tag`, `--from` and `--to`. */
export const SELECTION = defineOptions({
  ...TAGS,
  from: {
    value: '<moment>',
    help: 'only intervals that start then or later: seconds or a duration after the start of the log (90, 1m30s), a date (2026-03-01T12:00:00Z), or seconds since 1970',
    parse: parseMoment,
  },
  to: { value: '<moment>', help: 'only intervals that start before then', parse: parseMoment },
});

/** The part of a log that the options select. It is empty when they select everything. */
export function selectionOf({ tag, from, to }: SelectingOptions): Selection {
  return { ...(tag && { tags: tag }), ...(from && { from }), ...(to && { to }) };
}

/** @throws Refusal when the selection asks for a part of an input that has no parts. */
export function assertWhole(name: string, selection: Selection): void {
  if (Object.keys(selection).length === 0) return;
  throw new Refusal(
    `${name} has no tags and no times: --tag, --no-tag, --from and --to select nothing of it; hdrscope log slice copies a part of a log`,
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
