import { intervalTicks } from '@hdrscope/kit/delivery';
import { adminSocketError } from '../errors.ts';
import type { NamedDaemon } from '../importer/daemons.ts';
import type { ImportedIncrease } from '../importer/increase.ts';
import type { ImportedHistogram } from '../importer/read-histogram.ts';
import { type FollowOptions, followDaemons } from './follow.ts';

/** A histogram and its source. */
export interface SourcedHistogram extends ImportedHistogram {
  /** The daemon that the text names, or the name of the input. */
  readonly source: string;
}

/** A histogram with its source: the daemon that it names, or the input. */
export function withSource<One extends ImportedHistogram>(one: One, name: string): One & SourcedHistogram {
  return { ...one, source: one.daemon ?? name };
}

/** The increase of a histogram in one interval. */
export interface SourcedIncrease extends ImportedIncrease, SourcedHistogram {
  /** The length of the interval. It is longer when the daemon did not answer in between. */
  readonly seconds: number;
}

/** How daemons are watched. */
export interface WatchDaemonsOptions extends FollowOptions {
  /** How long an interval is. Above 0. */
  readonly intervalMs: number;
  /** How many intervals there are. @default it never ends */
  readonly intervals?: number | undefined;
  readonly signal: AbortSignal;
  /** Gets a sentence, once, when a daemon does not answer and when it is back. */
  readonly note: (text: string) => Promise<void>;
  /** Gets what daemons have counted before. */
  readonly onStart: (histograms: readonly SourcedHistogram[]) => Promise<void>;
}

/**
 * What daemons count from now on, interval by interval, in the order of the daemons.
 *
 * @throws HdrscopeError `ERR_ADMIN_SOCKET` when no daemon answers at first. An AbortError when the signal aborts.
 */
export async function* watchDaemons(
  all: readonly (NamedDaemon & { readonly path: string })[],
  {
    intervalMs,
    intervals = Number.POSITIVE_INFINITY,
    signal,
    note,
    onStart,
    ...options
  }: WatchDaemonsOptions,
): AsyncGenerator<readonly SourcedIncrease[], void> {
  const silent = new Set<string>();
  const noteAnswers = async (answers: readonly { name: string; problem?: string }[]): Promise<void> => {
    for (const { name, problem } of answers) {
      if (problem === undefined && silent.delete(name)) await note(`${name} is back`);
      if (problem === undefined || silent.has(name)) continue;
      silent.add(name);
      const { path } = all.find((daemon) => daemon.name === name)!;
      const named = problem.includes(path) ? problem : `${name}: ${problem}`;
      await note(`${named}; hdrscope goes on asking`);
    }
  };
  const follower = followDaemons(async () => all, options);
  const first = await follower.start();
  await noteAnswers(first);
  if (silent.size === all.length) throw adminSocketError('no daemon answers', {});
  await onStart(first.flatMap(({ name, histograms = [] }) => histograms.map((one) => withSource(one, name))));
  const ticks = intervalTicks(intervalMs, signal);
  for (let left = intervals; left > 0; left--) {
    await ticks();
    const { daemons } = await follower.advance();
    await noteAnswers(daemons);
    yield all.flatMap(({ name }) => {
      const { increases = [], seconds = 0 } = daemons.find((daemon) => daemon.name === name) ?? {};
      return increases.map((one) => ({ ...withSource(one, name), seconds: seconds || intervalMs / 1000 }));
    });
  }
}
