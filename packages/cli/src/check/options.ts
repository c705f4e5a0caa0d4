import { type Command, Option } from 'commander';
import { integerParser, isDecimal, wrongOption } from '../arguments.ts';
import { UsageError } from '../command.ts';
import { type Objective, parseObjective } from '../objective.ts';

/** How many requests may fail: a number, or a share of all. */
export type ErrorLimit = { readonly most: number } | { readonly share: number };

/** The objectives of a command line. */
export interface ObjectiveOptions {
  readonly slo?: readonly Objective[];
  readonly maxErrors?: ErrorLimit;
  readonly minCount?: number;
}

/** Adds `--slo`, `--max-errors` and `--min-count` to a command. */
export function addObjectives(parser: Command): Command {
  return parser
    .option(
      '--slo <objective>',
      'a percentile that must be at most a value, as in p99.9=250ms or max=1s; may be repeated',
      (text, others: readonly Objective[] = []) => [...others, withPercentile(text)],
    )
    .option('--max-errors <limit>', 'how many requests may fail, as in 0.1% or 10', parseErrorLimit)
    .addOption(
      new Option('--min-count <number>', 'how many values there must be at least').argParser(
        integerParser('--min-count', 1),
      ),
    );
}

/** @throws UsageError when there is no objective. */
export function assertObjectives({ slo = [], maxErrors, minCount }: ObjectiveOptions): void {
  if (slo.length > 0 || maxErrors !== undefined || minCount !== undefined) return;
  throw new UsageError('there is nothing to check: --slo p99.9=250ms states an objective');
}

function withPercentile(text: string): Objective {
  const objective = parseObjective(text);
  if (objective.percentile !== undefined && objective.percentile > 0) return objective;
  throw wrongOption('--slo', 'a percentile above 0 and a value, as in p99.9=250ms', text);
}

function parseErrorLimit(text: string): ErrorLimit {
  const [, percent = ''] = /^(.+?) ?%$/.exec(text) ?? [];
  if (isDecimal(percent) && Number(percent) < 100)
    return { share: Number((Number(percent) / 100).toPrecision(15)) };
  if (/^\d+$/.test(text) && Number.isSafeInteger(Number(text))) return { most: Number(text) };
  throw wrongOption('--max-errors', 'a percentage below 100 or an integer, as in 0.1% or 10', text);
}
