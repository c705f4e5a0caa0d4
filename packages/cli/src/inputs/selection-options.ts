import type { Moment, Selection } from '@hdrscope/interval-log';
import type { Command } from 'commander';
import { parseMoment } from './moment.ts';

/** The options that select a part of a log. */
export interface SelectingOptions {
  readonly from?: Moment;
  readonly to?: Moment;
}

/** Returns what the options select, after they were read. */
type SelectionOf = (options: SelectingOptions) => Selection;

/** Adds `--tag`, `--no-tag`, `--from` and `--to` to a command. */
export function addSelection(parser: Command): SelectionOf {
  const tagsOf = addTags(parser);
  parser
    .option(
      '--from <moment>',
      'only intervals that start then or later: seconds or a duration after the start of the log (90, 1m30s), a date (2026-03-01T12:00:00Z), or seconds since 1970',
      (text) => parseMoment(text, '--from'),
    )
    .option('--to <moment>', 'only intervals that start before then', (text) => parseMoment(text, '--to'));
  return ({ from, to }) => ({ ...tagsOf({}), ...(from && { from }), ...(to && { to }) });
}

/** Adds `--tag` and `--no-tag` alone. */
export function addTags(parser: Command): SelectionOf {
  const tags: (string | undefined)[] = [];
  parser
    .option('--tag <tag>', 'only intervals with this tag; may be repeated', (tag) => {
      tags.push(tag);
      return tags;
    })
    .option('--no-tag', 'only intervals without a tag; with --tag: those too')
    // Commander would treat it as the opposite of --tag. Here it selects one more group of intervals.
    .on('option:no-tag', () => tags.push(undefined));
  return () => (tags.length > 0 ? { tags } : {});
}
