import { type ErrorLimit, type Judged, judgeSubject, type Subject } from '@hdrscope/inputs/internal';
import { readPercent } from '../../arguments.ts';
import { UsageError } from '../../command.ts';
import type { SERIES } from '../../comparison/index.ts';
import { defineOptions, type OptionsOf } from '../../define-command.ts';
import { objectiveText, parseObjective, thresholdIn } from '../../objective.ts';
import { integer } from '../../options.ts';

/** `--slo`, `--max-errors` and `--min-count`. */
export const OBJECTIVES = defineOptions({
  slo: {
    value: '<objective>',
    help: 'a percentile that must be at most a value, as in p99.9=250ms or max=1s; may be repeated',
    allowed: 'a percentile above 0 and a value, as in p99.9=250ms',
    parse(text: string) {
      const objective = parseObjective(text);
      return objective.percentile !== undefined && objective.percentile > 0 ? objective : undefined;
    },
    isRepeated: true,
    fallback: 'none',
  },
  maxErrors: {
    value: '<limit>',
    help: 'how many requests may fail, as in 0.1% or 10',
    allowed: 'a percentage below 100 or an integer, as in 0.1% or 10',
    parse: readErrorLimit,
  },
  minCount: { value: '<number>', help: 'how many values there must be at least', parse: integer(1) },
});

export type ObjectiveOptions = OptionsOf<typeof OBJECTIVES>;

/** What a command line asks for. */
type Question = ObjectiveOptions &
  OptionsOf<typeof SERIES> & {
    readonly builds?: boolean;
    readonly together?: boolean;
    readonly strict?: boolean;
    readonly metric?: string;
  };

/** @throws UsageError when there is neither an objective nor a series of builds, or options that do not go together. */
export function assertQuestion(options: Question): void {
  const { slo, maxErrors, minCount, builds } = options;
  const hasObjective = slo.length > 0 || maxErrors !== undefined || minCount !== undefined;
  if (builds === true) {
    const { together, strict, metric } = options;
    if (hasObjective)
      throw new UsageError('--builds looks for changes: --slo, --max-errors and --min-count go without it');
    if (together ?? strict ?? metric !== undefined) {
      throw new UsageError('--together, --strict and --metric go with objectives, and not with --builds');
    }
    return;
  }
  if ((options.last ?? options.failIfWorse ?? options.percentiles) !== undefined) {
    throw new UsageError('--last, --fail-if-worse and --percentiles go with --builds');
  }
  if (hasObjective) return;
  throw new UsageError('there is nothing to check: --slo p99.9=250ms states an objective');
}

function readErrorLimit(text: string): ErrorLimit | undefined {
  const percent = readPercent(text);
  if (percent < 100) return { share: Number((percent / 100).toPrecision(15)) };
  return /^\d+$/.test(text) && Number.isSafeInteger(Number(text)) ? { most: Number(text) } : undefined;
}

/**
 * Judges all objectives for a subject.
 *
 * @throws UsageError when the unit of an objective is not that of the values.
 */
export function judgeBy(
  { slo, ...limits }: ObjectiveOptions & { readonly confidence: number; readonly strict?: boolean },
  subject: Subject,
): Judged {
  const percentiles = slo.map((one) => ({
    objective: objectiveText(one),
    percentile: one.percentile!,
    threshold: thresholdIn(one, subject.unit),
  }));
  return judgeSubject(subject, { ...limits, percentiles });
}
