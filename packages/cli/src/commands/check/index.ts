import {
  type ErrorLimit,
  isSketch,
  type Judged,
  judgeSubject,
  type Subject,
} from '@hdrscope/inputs/internal';
import { readPercent, refuse } from '../../arguments.ts';
import type { Io } from '../../command.ts';
import { CHANGES, CONFIDENCE, exitCodeOf as exitCodeOfGate, SERIES } from '../../comparison/index.ts';
import { readGroups } from '../../comparison/read-sides.ts';
import { defineCommand, defineOptions, type OptionsOf } from '../../define-command.ts';
import { type FileReport, listReports, REPORT, REPORT_FORMATS, writeReports } from '../../file-reports.ts';
import { listForHelp, listReadBy } from '../../inputs/forms.ts';
import type { Input } from '../../inputs/input.ts';
import { startTalliedReading, type TalliedReading } from '../../inputs/line-tally.ts';
import { TIMED_PLACE } from '../../inputs/numbers.ts';
import { openInputs } from '../../inputs/open-inputs.ts';
import { textUnitOption } from '../../inputs/percentile-input.ts';
import { SELECTION, selectionOf } from '../../inputs/selection-options.ts';
import { SKETCH_OPTIONS } from '../../inputs/sketches.ts';
import { objectiveText, parseObjective, thresholdIn } from '../../objective.ts';
import { DEFAULT_PERCENTILES, integer, LOG_FORMAT, unitOption } from '../../options.ts';
import { checkReport, exitCodeOf } from './reports.ts';
import { type CheckKind, readSubjects, type SubjectReading, together } from './subjects.ts';

const DESCRIPTION = `Judges whether the values of a load test, or of a log, keep objectives. The exit code is 1 when an
objective is missed, and 3 when none is but one cannot be judged.

Files are recognised by their content, plain or gzipped: ${listForHelp('check')}. A summary that prints a few percentiles is judged by these
alone. Requests of an access log with a status of at least 500 have failed.

Each percentile has a confidence interval, which contains the true one with --confidence:

  kept beyond doubt    the whole interval is within the threshold
  kept                 the percentile of these values is; the interval reaches beyond the threshold
  missed               the percentile of these values is beyond; the interval begins within
  missed beyond doubt  the whole interval is beyond the threshold
  cannot be judged     the percentile is not known, or known within bounds that contain the threshold,
                       or the values are so few that it is their maximum

Values of a service that stalls depend on each other, so a log, and a table of requests, is as good as fewer independent
values: the intervals of the log, and the times of the requests, say how many. Nothing is beyond doubt where times are
not known, or where a test is as good as fewer than 20 independent stretches of time: test for longer.

Each file, and each tag of a log, is judged on its own.

With --builds, each file or folder is a build, in the order of the command line, and the question is which build has
changed a percentile, and whether it is still so. A file is one run of its build; a folder has several. What a quoted
pattern ('runs/*') or a folder alone stands for is taken in the order of names, numbers by their values. Files have
the forms that hdrscope diff takes.

${CHANGES}`;

// Sketches become figures. JSON may be a summary of k6 whose beginning does not show it.
const TAKEN: readonly CheckKind[] = [
  ...listReadBy<CheckKind>('check').filter((form) => !isSketch(form)),
  'json',
];

/** `--slo`, `--max-errors` and `--min-count`. */
const OBJECTIVES = defineOptions({
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

const OPTIONS = defineOptions({
  ...OBJECTIVES,
  together: { help: 'judges all files and tags as one' },
  strict: { help: 'the exit code is also 1 when an objective is kept, but not beyond doubt' },
  confidence: { ...CONFIDENCE, help: 'how sure a verdict beyond doubt has to be', default: 0.99 },
  logFormat: LOG_FORMAT,
  unit: unitOption('the unit of the values in logs and histograms', 'ns'),
  textUnit: textUnitOption('the unit of percentile text and numbers', 'text: ms; numbers: --unit, else none'),
  builds: { help: 'finds the builds since which percentiles differ: each file or folder is a build' },
  ...SERIES,
  report: REPORT,
  ...TIMED_PLACE,
  ...SELECTION,
  ...SKETCH_OPTIONS,
  metric: {
    ...SKETCH_OPTIONS.metric,
    help: 'for k6: the metric that has the durations; for sketches: the distribution of this name',
    fallback: 'of k6: http_req_duration; of sketches: each is judged',
  },
});

export const command = defineCommand({
  path: 'hdrscope check',
  description: DESCRIPTION,
  examples: [
    'hdrscope check autocannon.json --slo p99=250ms --max-errors 0.1%',
    'hdrscope check k6.json --slo p50=5ms --slo p99.9=250ms --min-count 10000 --report junit.xml',
    'hdrscope check service.hlog --tag get --since 1m --slo p99.9=50ms --strict',
    'wrk2 -R 1000 -d 30s --latency http://127.0.0.1:8080/ | hdrscope check - --slo p99=20ms',
    "hdrscope check --builds 'builds/*' --last 30 --percentiles 50,99 --fail-if-worse 5%",
  ],
  operands: { '<file...>': 'files in any of these forms; - is standard input' },
  options: OPTIONS,
  formats: REPORT_FORMATS,
  formatNotes: 'junit is XML, markdown is for pull requests',
  output: 'by command',
  async run({ options, operands, format }, io) {
    assertQuestion(options);
    const outputs = listReports(options, format);
    if (options.builds === true) return checkBuilds(operands, options, outputs, io);
    const { logFormat } = options;
    const taking = {
      takes: TAKEN,
      otherwise: 'log',
      logFormat,
      numbers: options,
      sketches: options,
      command: 'hdrscope check',
    } as const;
    const { inputs, progress } = await openInputs<CheckKind>(operands, taking, io);
    const reading = { ...readingOf(options), ...startTalliedReading(io, progress) };
    const subjects = await reading.finishAfter(readAllSubjects(inputs, reading));
    const judged = (options.together ? [together(subjects)] : subjects).map((one) => judgeBy(options, one));
    await writeReports(outputs, checkReport(judged, options.confidence), io);
    return reading.report(exitCodeOf(judged));
  },
});

async function checkBuilds(
  operands: readonly string[],
  options: OptionsOf<typeof OPTIONS>,
  outputs: readonly FileReport[],
  io: Io,
): Promise<number> {
  const { findBuilds } = await import('../diff/sides.ts');
  const { judgeBuilds, changesReport } = await import('../../comparison/changes.ts');
  const { last, confidence, failIfWorse, percentiles = DEFAULT_PERCENTILES } = options;
  const all = await findBuilds(operands);
  const found = last === undefined ? all : all.slice(-last);
  const { groups, scale, reading } = await readGroups(
    found.map(({ files }) => files),
    options,
    'hdrscope check',
    io,
  );
  const builds = found.map(({ name }, at) => ({ name, runs: groups[at]! }));
  const series = judgeBuilds(builds, scale, { percentiles, confidence, failIfWorse });
  await writeReports(outputs, changesReport(series), io);
  return reading.report(exitCodeOfGate(series));
}

/** One at a time: a log may have thousands of tags. */
async function readAllSubjects(
  inputs: readonly Input<CheckKind>[],
  reading: SubjectReading,
): Promise<Subject[]> {
  const subjects: Subject[] = [];
  for (const input of inputs) {
    for (const one of await readSubjects(input, reading)) subjects.push(one);
  }
  return subjects;
}

function readingOf(options: OptionsOf<typeof OPTIONS>): Omit<SubjectReading, keyof TalliedReading> {
  const { unit, textUnit, slo, metric, logFormat, together: isTogether = false } = options;
  return {
    unit: unit ?? 'ns',
    textUnit,
    numbersIn: textUnit ?? unit,
    numberOptions: options,
    selection: selectionOf(options),
    metric,
    logFormat,
    together: isTogether,
    thresholdsIn: (shown) => slo.map((objective) => thresholdIn(objective, shown)),
  };
}

// Objectives.

type ObjectiveOptions = OptionsOf<typeof OBJECTIVES>;

/** What a command line asks for. */
type Question = ObjectiveOptions &
  OptionsOf<typeof SERIES> & {
    readonly builds?: boolean;
    readonly together?: boolean;
    readonly strict?: boolean;
    readonly metric?: string;
  };

/** @throws UsageError when there is neither an objective nor a series of builds, or options that do not go together. */
function assertQuestion(options: Question): void {
  const { slo, maxErrors, minCount, builds = false, together, strict, metric } = options;
  const hasObjective = slo.length > 0 || maxErrors !== undefined || minCount !== undefined;
  const isOfObjectives = together ?? strict ?? metric !== undefined;
  const isOfBuilds = (options.last ?? options.failIfWorse ?? options.percentiles) !== undefined;
  refuse([
    [builds && hasObjective, '--builds looks for changes: --slo, --max-errors and --min-count go without it'],
    [builds && isOfObjectives, '--together, --strict and --metric go with objectives, and not with --builds'],
    [!builds && isOfBuilds, '--last, --fail-if-worse and --percentiles go with --builds'],
    [!builds && !hasObjective, 'there is nothing to check: --slo p99.9=250ms states an objective'],
  ]);
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
