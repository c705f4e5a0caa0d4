import { hasRequests, RequestGrouping } from '@hdrscope/inputs/internal';
import { followBytes, followNoteText } from '@hdrscope/interval-log/internal';
import { intervalTicks } from '@hdrscope/kit/delivery';
import { type Io, Refusal, UsageError } from '../../command.ts';
import { defineOptions, type OptionsOf } from '../../define-command.ts';
import { explained, type Input } from '../../inputs/input.ts';
import { LineTally } from '../../inputs/line-tally.ts';
import { intervalOption, intervalsOption } from '../../options.ts';
import { replaceScreen } from '../../screen/screen.ts';
import { formatGroups, groupingNotes, groupsJson } from './groups.ts';
import { type LoadOptions, type RecordKind, requestOptions } from './load.ts';

const DEFAULT_INTERVAL = 10;
const POLL_MS = 250;

/** How a growing file is followed. */
export const FOLLOW_OPTIONS = defineOptions({
  follow: {
    short: '-f',
    help: 'goes on as an access log or the output of a load test grows, until Ctrl-C: shows the requests of each interval',
  },
  interval: { ...intervalOption('with -f: how long an interval is'), fallback: `${DEFAULT_INTERVAL}s` },
  intervals: intervalsOption('with -f: ends after so many intervals'),
});

type FollowOptions = OptionsOf<typeof FOLLOW_OPTIONS> & LoadOptions;

/** @throws UsageError for options that a file read to its end does not take. */
export function assertNotFollowed({ interval, intervals }: OptionsOf<typeof FOLLOW_OPTIONS>): void {
  const given = [
    ['--interval', interval],
    ['--intervals', intervals],
  ].find(([, value]) => value !== undefined);
  if (given !== undefined) throw new UsageError(`${given[0]} goes with -f`);
}

/**
 * Shows the requests that come into a file, interval by interval. Those that it has already are left out.
 *
 * @returns The exit code.
 * @throws Refusal, UsageError
 */
export async function followRequests(
  inputs: readonly Input<RecordKind>[],
  paths: readonly string[],
  options: FollowOptions,
  io: Io,
): Promise<number> {
  const [path] = paths;
  if (path === undefined || path === '-' || paths.length > 1) {
    throw new UsageError(
      `-f takes one file, got ${path === '-' || path === undefined ? 'standard input' : paths.length}`,
    );
  }
  const [{ kind, name }] = inputs as readonly [Input<RecordKind>];
  if (kind === 'numbers' || !hasRequests(kind))
    throw new Refusal(`${name} has no requests that come one by one: -f is for access logs and load tests`);
  const { format, output, by, where, percentiles, digits, interval = DEFAULT_INTERVAL } = options;
  if (output !== undefined || (format !== 'text' && format !== 'json'))
    throw new UsageError('-f prints text or json on standard output: leave --output and other formats out');
  const badLines = new LineTally();
  const asked = { by, where, percentiles, significantDigits: digits };
  const reading = { ...requestOptions(options), onBadLine: badLines.add };
  const grouping = await explained(async () => new RequestGrouping(kind, asked, reading));
  const stopped = new AbortController();
  const signal = AbortSignal.any([io.signal, stopped.signal]);
  let caughtUp = (): void => {};
  const isCaughtUp = new Promise<void>((resolve) => {
    caughtUp = resolve;
  });
  const read = explained(() => grouping.read({ name, bytes: followedBytes(path, signal, caughtUp, io) }));
  try {
    await Promise.race([isCaughtUp, read]);
    // What the file had before.
    grouping.take();
    for (const note of groupingNotes(kind, 0, where, reading)) await io.stderr.write(`hdrscope: ${note}\n`);
    const isScreen = io.stdout.isTerminal && format === 'text';
    const ticks = intervalTicks(interval * 1000, io.signal);
    for (let left = options.intervals ?? Number.POSITIVE_INFINITY; left > 0; left--) {
      await Promise.race([ticks(), read]);
      io.signal.throwIfAborted();
      const { groups, beyond } = grouping.take();
      if (format === 'json') {
        await io.stdout.write(
          `${JSON.stringify({ atSec: Date.now() / 1000, lengthSec: interval, groups: groupsJson(groups) })}\n`,
        );
        continue;
      }
      const requests = groups.reduce((sum, { figures }) => sum + Number(figures.count), 0);
      const title = `the last ${interval} s of ${name}`;
      let text = groups.length === 0 ? `no requests in ${title}\n` : '';
      if (groups.length > 0) {
        const grouped = { name: title, requests, keys: [...new Set(by)], groups, notes: [] };
        for await (const part of formatGroups(grouped, percentiles, 'text', io)) text += part;
      }
      if (beyond > 0) text += `${groupingNotes(kind, beyond, where, reading).at(-1)}\n`;
      await io.stdout.write(isScreen ? replaceScreen(text) : `${text}\n`);
    }
  } finally {
    stopped.abort();
  }
  await read;
  return badLines.report(io);
}

async function* followedBytes(
  path: string,
  signal: AbortSignal,
  onCaughtUp: () => void,
  io: Io,
): AsyncGenerator<Uint8Array, void> {
  for await (const entry of followBytes(path, { signal, pollMs: POLL_MS })) {
    if (entry.kind === 'bytes') yield entry.bytes;
    else if (entry.kind === 'caught-up') onCaughtUp();
    else {
      const note = followNoteText(entry, path);
      if (note !== undefined) await io.stderr.write(`hdrscope: ${note}\n`);
    }
  }
}
