import { createHash } from 'node:crypto';
import { type Look, planLooks } from '@hdrscope/inputs/internal';
import { ExitCode, type Io, Termination } from '../../command.ts';
import {
  type ComparingOptions,
  type Differences,
  differencesOf,
  exitCodeOf,
} from '../../comparison/index.ts';
import { type ReadSides, type RunOptions, readSides } from '../../comparison/read-sides.ts';
import { percentText } from '../../comparison/words.ts';
import { decimalText } from '../../format.ts';
import { type Ran, runLoad, type SideName } from './run.ts';

export interface MeasuringOptions extends ComparingOptions, RunOptions {
  /** The commands of both sides. */
  readonly before: string;
  readonly after: string;
  readonly runs: number;
  readonly warmUps: number;
  /** In seconds. */
  readonly maxTime?: number;
  readonly seed: number;
}

/** Why no more runs were made. */
export type Ending = 'all runs are made' | 'the result is clear' | 'the time is over' | 'a signal has come';

/** A comparison, and the runs that it rests on. */
export interface Measured {
  /** In the order of time. */
  readonly runs: readonly Ran[];
  readonly sides: ReadSides;
  readonly differences: Differences;
  readonly ending: Ending;
  /** How often the runs may be compared, and the confidence of all looks together. */
  readonly looks: number;
  readonly confidence: number;
  readonly exitCode: number;
}

/**
 * Runs both sides in turn, until the result is clear, all runs are made, or the time is over.
 *
 * @throws Refusal when a run fails or its values cannot be read; the reason of the signal when there is no pair of runs.
 */
export async function measure(options: MeasuringOptions, folder: string, io: Io): Promise<Measured> {
  const { runs: most, warmUps, minRuns, confidence, seed } = options;
  const looks = planLooks(most, options.failIfWorse === undefined ? most : minRuns, confidence);
  const startMs = io.monotonicMs();
  const runs: Ran[] = [];
  const run = async (side: SideName, number: number): Promise<void> => {
    const ran = await runLoad({ side, number, command: options[side] }, folder, io.signal);
    await io.stderr.write(`${progressText(ran, most)}\n`);
    if (number > 0) runs.push(ran);
  };
  const compare = async (look: Look, ending: Ending, reader: Io = io): Promise<Measured> => {
    const paired = inPairs(runs);
    const files = (side: SideName): string[] =>
      paired.filter((one) => one.side === side).map(({ path }) => path);
    const sides = await readSides(
      { before: files('before'), after: files('after') },
      options,
      'hdrscope ab',
      reader,
    );
    const compared = { ...options, confidence: look.confidence };
    const differences = differencesOf(sides.before, sides.after, sides.scale, compared);
    const isWhole = (await sides.reading.report()) === ExitCode.done;
    const exitCode = isWhole ? exitCodeOf(differences) : ExitCode.failed;
    return { runs: paired, sides, differences, ending, looks: looks.length, confidence, exitCode };
  };
  const last = looks.at(-1)!;
  try {
    for (let warmUp = 0; warmUp < warmUps; warmUp++)
      for (const side of orderOfPair(warmUp, seed)) await run(side, 0);
    const firstMs = io.monotonicMs();
    for (let pair = 0; pair < most; pair++) {
      if (isLate(pair, firstMs, startMs, options.maxTime, io)) return await compare(last, 'the time is over');
      for (const side of orderOfPair(pair, seed)) await run(side, pair + 1);
      const look = looks.find((one) => one.runs === pair + 1);
      if (look === undefined || look === last) continue;
      const measured = await compare(look, 'the result is clear');
      if (isClear(measured.differences)) return measured;
    }
    return await compare(last, 'all runs are made');
  } catch (error) {
    const isInterrupted = error instanceof Termination && error === io.signal.reason;
    if (!isInterrupted || inPairs(runs).length === 0) throw error;
    // The error of the last look has not been spent.
    const measured = await compare(last, 'a signal has come', {
      ...io,
      signal: new AbortController().signal,
    });
    return { ...measured, exitCode: error.exitCode };
  }
}

/**
 * The order of both sides in a pair of runs. Two pairs are mirror images, ABBA or BAAB, so that a machine that becomes steadily slower
 * harms both sides alike; the seed decides which.
 *
 * @param pair From 0.
 */
export function orderOfPair(pair: number, seed: number): readonly [SideName, SideName] {
  const [bit = 0] = createHash('sha256')
    .update(`${seed} ${pair >> 1}`)
    .digest();
  return ((bit & 1) === 0) === (pair % 2 === 0) ? ['before', 'after'] : ['after', 'before'];
}

/** Those runs whose side has no more than the other one. */
function inPairs(runs: readonly Ran[]): Ran[] {
  const countOf = (side: SideName): number => runs.filter((one) => one.side === side).length;
  const pairs = Math.min(countOf('before'), countOf('after'));
  return runs.filter(({ number }) => number <= pairs);
}

/** Whether a pair of runs as long as those before would end after the time. The first pair always runs. */
function isLate(
  pairs: number,
  firstMs: number,
  startMs: number,
  maxTime: number | undefined,
  io: Io,
): boolean {
  if (pairs === 0 || maxTime === undefined) return false;
  const nowMs = io.monotonicMs();
  return nowMs + (nowMs - firstMs) / pairs > startMs + maxTime * 1000;
}

/** Whether more runs would not change what a gate says: a percentile is worse, or none can be. */
function isClear({ verdict, comparison, tolerance }: Differences): boolean {
  if (verdict === 'worse') return true;
  return (
    verdict === 'not worse' &&
    comparison.percentiles.every(({ relativeInterval }) => relativeInterval.upper <= tolerance)
  );
}

function progressText({ side, number, seconds, busy }: Ran, most: number): string {
  const name = number === 0 ? `the warm-up of --${side}` : `run ${number} of ${most} of --${side}`;
  return `hdrscope: ${name}: ${decimalText(seconds, 1)} s, processors ${percentText(busy, 2)} busy`;
}
