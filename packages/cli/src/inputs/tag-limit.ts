import { HdrscopeError } from '@hdrscope/core';
import { Refusal } from '../command.ts';

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
