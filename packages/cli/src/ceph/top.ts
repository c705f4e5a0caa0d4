import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type ClusterFollower,
  type DaemonAnswer,
  daemonsAt,
  followByTell,
  followDaemons,
} from '@hdrscope/ceph';
import { summarizeOperations } from '@hdrscope/ceph/internal';
import type { Command } from 'commander';
import { Option } from 'commander';
import { type Arguments, createParser, integerParser } from '../arguments.ts';
import { terminalControl } from '../clean-output.ts';
import { painter } from '../colour.ts';
import { ExitCode, type Io, Refusal, UsageError } from '../command.ts';
import { addFormat, formatOf, type OutputOptions } from '../output-options.ts';
import { plotColumns, screenOf } from '../screen.ts';
import { intervalOption, intervalsOption, percentilesOption } from '../shared-options.ts';
import { kindOf } from './input.ts';
import { sizesOption } from './sizes-option.ts';
import { topJson, topText } from './top-text.ts';

const FORMATS = ['text', 'json'] as const;

interface Options extends OutputOptions<(typeof FORMATS)[number]> {
  readonly interval: number;
  readonly intervals?: number;
  readonly once?: boolean;
  readonly percentiles: readonly number[];
  readonly sizes: readonly number[];
  readonly top: number;
  readonly tell?: string | true;
  readonly ceph: string;
}

const SOCKETS = '/var/run/ceph';
const ALL_OSDS = 'osd.*';

const DESCRIPTION = `Shows the latency of all OSDs in each interval: together, by kind and size of the operations, and the
slowest OSDs.

It reads the admin sockets of this machine, or with --tell whatever the ceph command reaches. The figures are
those of the operations that ended within the interval. A slot of Ceph spans an octave, so a percentile has two
bounds, and a narrow terminal has the upper one. The mean of an OSD comes from its own sums: its bounds are as
far apart as the operations that ended while it was asked. OSDs that restart, go or come are reported. Ctrl-C
ends it.`;

/** The arguments of `hdrscope ceph top`. */
export function parser(): Command {
  const command = createParser('hdrscope ceph top', DESCRIPTION, [
    'hdrscope ceph top',
    'hdrscope ceph top /var/run/ceph/6f2d0b1e-fsid --interval 10s --sizes 4KiB,128KiB',
    "hdrscope ceph top --tell 'osd.*' --once --json",
  ])
    .argument('[socket|folder...]', `admin sockets, and folders of sockets (default: ${SOCKETS})`)
    .addOption(intervalOption().default(5, '5s'))
    .addOption(intervalsOption())
    .option('--once', 'prints one interval, and ends')
    .option('--tell [daemons]', `asks with ceph tell, not through sockets (daemons by default: ${ALL_OSDS})`)
    .option('--ceph <program>', 'the ceph program for --tell', 'ceph')
    .addOption(sizesOption().default([4096, 65_536, 1_048_576], '4KiB,64KiB,1MiB'))
    .addOption(
      new Option('--top <count>', 'how many of the slowest OSDs to show')
        .argParser(integerParser('--top', 1))
        .default(10),
    )
    .addOption(percentilesOption());
  return addFormat(command, FORMATS, 'json is a line for each interval');
}

/** `hdrscope ceph top` */
export async function run({ options, operands }: Arguments<Options>, io: Io): Promise<number> {
  const { once = false, interval, percentiles } = options;
  const json = formatOf(options, FORMATS) === 'json';
  const follower = await followerOf(options, operands, io);
  const answers = await follower.start();
  assertHistograms(answers);
  for (const { name, problem } of answers) {
    if (problem !== undefined) await io.stderr.write(`hdrscope: ${name} does not answer: ${problem}\n`);
  }
  const isScreen = io.stdout.isTerminal && !once && !json;
  const paint = painter(io, io.stdout);
  for (let left = once ? 1 : (options.intervals ?? Number.POSITIVE_INFINITY); left > 0; left--) {
    await sleep(interval * 1000, undefined, { signal: io.signal });
    const counts = await follower.advance();
    const figures = summarizeOperations(counts, options);
    const text = json
      ? topJson(counts, figures, percentiles)
      : topText(counts, figures, {
          ...options,
          columns: plotColumns(screenOf(io).columns),
          bold: (line) => paint('bold', line),
        });
    await io.stdout.write(isScreen ? `${CLEAR}${text}` : text);
  }
  return ExitCode.done;
}

/** Moves to the first line of the screen and clears it. */
const CLEAR = terminalControl('\u001b[H\u001b[2J');

async function followerOf(
  { tell, ceph }: Options,
  operands: readonly string[],
  io: Io,
): Promise<ClusterFollower> {
  const { monotonicMs, signal } = io;
  if (tell === undefined) {
    if (operands.length === 0 && !existsSync(SOCKETS)) {
      throw new Refusal(
        `there is no folder ${SOCKETS}: name the folder of the sockets, or ask through ceph with --tell`,
      );
    }
    return followSockets(operands.length === 0 ? [SOCKETS] : operands, monotonicMs);
  }
  if (operands.length > 0) {
    throw new UsageError("--tell asks the cluster: it takes no sockets; --tell 'osd.*' names daemons");
  }
  return followByTell({ target: tell === true ? ALL_OSDS : tell, program: ceph, signal, monotonicMs });
}

/**
 * Follows the daemons behind sockets, and behind those in folders, which are found anew at each reading.
 *
 * @throws Refusal when there is no such path, or it is neither a socket nor a folder.
 */
export async function followSockets(
  paths: readonly string[],
  monotonicMs: () => number,
): Promise<ClusterFollower> {
  const kinds = await Promise.all(paths.map(kindOf));
  const file = paths.find((_, at) => kinds[at] === 'file');
  if (file !== undefined) throw new Refusal(`${file} is neither an admin socket nor a folder of sockets`);
  const list = async () => (await Promise.all(paths.map((path) => daemonsAt(path)))).flat();
  return followDaemons(list, { monotonicMs });
}

/** @throws Refusal when no daemon has histograms. */
function assertHistograms(answers: readonly DaemonAnswer[]): void {
  if (answers.some(({ histograms }) => histograms !== undefined)) return;
  const reasons = answers.flatMap(({ problem }) => problem ?? []);
  const why = reasons.length === 0 ? "among Ceph's daemons, OSDs have some" : reasons.join('; ');
  throw new Refusal(`no daemon with histograms answers: ${why}`);
}
