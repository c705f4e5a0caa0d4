import { compareRuns, type RunsComparison } from '@hdrscope/core';
import { type CompareRunsOptions, LEAST_STATE, type Run } from '@hdrscope/core/internal';
import { type Figures, type GateVerdict, judgeComparison, type ValueScale } from '@hdrscope/inputs/internal';
import type { LogHistogram } from '@hdrscope/interval-log';
import { between, readPercent } from '../arguments.ts';
import { ExitCode, Refusal } from '../command.ts';
import { defineOption, defineOptions, type OptionsOf } from '../define-command.ts';
import { integer, percentilesOption } from '../options.ts';

export interface ComparedRun extends Run {
  readonly name: string;
  readonly totalCount: number;
  /** When it began, in milliseconds since 1970. @default it is not known */
  readonly startMs?: number | undefined;
  /** Its figures as bounds. All runs have it where values of one lie in wide buckets. @default the figures of `values` */
  readonly boundsOf?: ((percentiles: readonly number[]) => Figures) | undefined;
}

/** One side of a comparison: its runs, in the order of the command line. At least one. */
export type ComparedSide = readonly ComparedRun[];

/** The confidence of a comparison, unless an option states another one. */
export const DEFAULT_CONFIDENCE = 0.99;

export const CONFIDENCE = defineOption({
  value: '<part>',
  help: 'how sure all intervals together have to be',
  allowed: 'above 0 and below 1, as in 0.99 or 99%',
  parse: between(0, 1, readPart),
});

/** Reads `0.99` or `99%`. */
function readPart(text: string): number {
  return text.endsWith('%') ? Number(text.slice(0, -1)) / 100 : Number(text);
}

export const GATE = defineOptions({
  failIfWorse: {
    value: '<part>',
    help: 'how much a percentile may grow, as in 5%: the exit code is 1 if one is worse, and 3 if that cannot be judged',
    allowed: 'a percentage of at least 0, as in 5%',
    parse: readTolerance,
  },
  mustExclude: {
    value: '<part>',
    help: 'an increase that must not go unseen, as in 20%: the exit code is 3 unless larger ones of all percentiles are excluded',
    allowed: 'a percentage of at least 0, as in 20%',
    parse: readTolerance,
    fallback: 'a difference that is not shown passes, however large it may be',
  },
  minRuns: {
    value: '<n>',
    help: 'how many runs a side needs for --fail-if-worse',
    parse: integer(2),
    default: 3,
  },
  oneRun: { help: 'lets --fail-if-worse judge one run a side, although another run may differ as much' },
});

export const COMPARING = defineOptions({
  percentiles: percentilesOption(),
  ...GATE,
  confidence: { ...CONFIDENCE, default: DEFAULT_CONFIDENCE },
});

/** Options of a comparison: which percentiles, and when the result is worse. */
export type ComparingOptions = OptionsOf<typeof COMPARING>;

export const VERDICTS = `Values of one run are not independent: a stall, a warm-up or a slow machine concerns many of them. So the
spread of several runs a side is what a verdict rests on. The verdicts of a percentile:

  significantly slower       the whole interval is above 0, the change above what --fail-if-worse tolerates
  slower within tolerance    the whole interval is above 0, and the change is tolerated
  significantly faster       the whole interval is below 0
  no significant difference  the interval contains 0; a change up to its upper end is not excluded
  cannot be judged           too few values, or too few that do not depend on each other

(Values that are no times are higher and lower.) All intervals together contain the true changes with --confidence:
each of n percentiles has an nth of the error. The smallest change that such runs show is stated, too.

With one run a side, the answer is whether these two runs differ. The intervals of a log, and the times of requests,
show how dependent values are; without them, the intervals hold only if values are independent. Whether the code is
slower cannot be judged then, so --fail-if-worse ends with exit code 3, unless --one-run accepts the risk.

Runs that differ much hide a large increase, and pass. --must-exclude 20% ends with 3 then.`;

/** A comparison and the facts that are shown with it. */
export interface Differences {
  readonly comparison: RunsComparison;
  readonly sides: readonly [before: ComparedSide, after: ComparedSide];
  readonly confidence: number;
  readonly tolerance: number;
  /** The relative increase above which all must be excluded. @default none must be */
  readonly mustExclude?: number | undefined;
  readonly minRuns: number;
  readonly unit: ValueScale;
  readonly verdict: GateVerdict;
  /** Whether `--fail-if-worse` or `--must-exclude` was given. */
  readonly isGate: boolean;
}

/**
 * Compares two sides.
 *
 * @throws HdrscopeError `ERR_INCOMPATIBLE` when one side alone has a single run.
 */
export function differencesOf(
  before: ComparedSide,
  after: ComparedSide,
  unit: ValueScale,
  { confidence, failIfWorse, mustExclude, percentiles, minRuns, oneRun = false }: ComparingOptions,
): Differences {
  const tolerance = failIfWorse ?? 0;
  const options: CompareRunsOptions = { percentiles, confidence, tolerance };
  const comparison = compareRuns(before, after, options);
  const runs = Math.min(before.length, after.length);
  const hasGround = runs >= minRuns || (runs === 1 && oneRun);
  return {
    ...{ comparison, sides: [before, after], confidence, tolerance, mustExclude, minRuns, unit },
    verdict: hasGround ? judgeComparison(comparison, mustExclude) : 'cannot be judged',
    isGate: (failIfWorse ?? mustExclude) !== undefined,
  };
}

const EXIT_CODES: Readonly<Record<GateVerdict, number>> = {
  worse: ExitCode.refused,
  'not worse': ExitCode.done,
  'cannot be judged': ExitCode.undecided,
};

/** The exit code that a comparison asks for. */
export function exitCodeOf({ isGate, verdict }: Pick<Differences, 'isGate' | 'verdict'>): number {
  return isGate ? EXIT_CODES[verdict] : ExitCode.done;
}

/** The values of a run as one histogram, where they are known within bounds. */
export function histogramOf({ values }: Pick<ComparedRun, 'values'>): LogHistogram {
  return 'lowest' in values ? values.histogram : values;
}

/** @throws Refusal when there are no values. */
export function withValues(sum: LogHistogram | undefined, name: string, isLog = true): LogHistogram {
  if (sum === undefined || sum.totalCount === 0) {
    const hint = isLog ? ': hdrscope log summary shows what it has' : '';
    throw new Refusal(`${name} has no values to compare${hint}`);
  }
  return sum;
}

function readTolerance(text: string): number | undefined {
  const percent = readPercent(text);
  return Number.isNaN(percent) ? undefined : percent / 100;
}

// Series of builds.

/** Options of a search for changes between builds. */
export const SERIES = defineOptions({
  last: {
    value: '<n>',
    help: 'with --builds: takes the newest builds only',
    parse: integer(1),
    fallback: 'all',
  },
  failIfWorse: {
    ...GATE.failIfWorse,
    help: 'with --builds: how much a percentile may grow, as in 5%: the exit code is 1 if one has since its last change, and 3 if that cannot be judged',
  },
  percentiles: { ...percentilesOption('with --builds: '), default: undefined },
});

/** Explains a search for changes, for the help. */
export const CHANGES = `Each build is one observation: the percentiles of its runs. A change is a step between states of at least ${LEAST_STATE}
builds that random orders of the builds seldom have: with equal builds, one of 100 series has one at a --confidence
of 99 %, whatever the noise between builds is. Its size is the difference of both states, with the verdicts of hdrscope
diff. A build that stands alone is named, and is no change.

With --fail-if-worse, the exit code is 1 when a percentile is worse since its last change, 3 when that cannot be judged,
as with fewer than 12 builds, or a newest build that is slow alone, and 0 otherwise.`;
