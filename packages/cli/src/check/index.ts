import type { NumberPlace } from '@hdrscope/inputs';
import { NUMBER_UNITS } from '@hdrscope/inputs/internal';
import type { CountedUnit } from '@hdrscope/registry';
import { type Command, Option } from 'commander';
import { type Arguments, choiceOption, createParser } from '../arguments.ts';
import { ExitCode, type Io, Refusal, UsageError } from '../command.ts';
import { parseConfidence } from '../comparison.ts';
import { LineTally, MalformedTally } from '../inputs/line-tally.ts';
import { addNumberOptions } from '../inputs/numbers.ts';
import { openInputs } from '../inputs/open-inputs.ts';
import { type TextUnit, textUnitOption } from '../inputs/percentile-input.ts';
import { addSelection, type SelectingOptions, selectionOf } from '../inputs/selection-options.ts';
import { thresholdIn } from '../objective.ts';
import { addFormat, addOutput, formatOf, type OutputOptions, withOutput } from '../output-options.ts';
import { type ReadingProgress, startReading } from '../progress.ts';
import { judgeSubject } from './judge.ts';
import { addObjectives, assertObjectives, type ObjectiveOptions } from './options.ts';
import { CHECK_FORMATS, type CheckFormat, type FileReport, fileReport, isKept, reports } from './reports.ts';
import { type CheckKind, readSubjects, type Subject, type SubjectReading, together } from './subjects.ts';

const DESCRIPTION = `Judges whether the values of a load test, or of a log, keep objectives. The exit code is 1 when an
objective is missed or cannot be judged.

Files are recognised by their content: an interval log, percentile text (.hgrm, its CSV, wrk2
--latency), histograms in Base64, a text with one number per line, a column of a table, a field of
JSON, the JSON of hdrscope record, and the output of autocannon (--json), k6 (--out json, --out csv, --summary-export, handleSummary) and oha (--output-format json
and csv); all of them plain or gzipped. A summary that prints a few percentiles is judged by these
alone.

Each percentile has a confidence interval, which contains the true one with --confidence:

  kept beyond doubt    the whole interval is within the threshold
  kept                 the percentile of these values is; the interval reaches beyond the threshold
  missed               the percentile of these values is beyond; the interval begins within
  missed beyond doubt  the whole interval is beyond the threshold
  cannot be judged     the percentile is not known, or known within bounds that contain the threshold,
                       or the values are so few that it is their maximum

Values are assumed to be independent. In a service that stalls they are not, so test for long.

Each file, and each tag of a log, is judged on its own.`;

const TAKEN: readonly CheckKind[] = [
  ...(['log', 'percentiles', 'encoded', 'numbers', 'recorded', 'json'] as const),
  ...(['autocannon', 'k6 points', 'k6 table', 'k6 summary', 'oha table', 'oha summary'] as const),
];

interface Options extends ObjectiveOptions, SelectingOptions, NumberPlace, OutputOptions<CheckFormat> {
  readonly together?: boolean;
  readonly strict?: boolean;
  readonly confidence: number;
  readonly metric?: string;
  readonly unit?: CountedUnit;
  readonly textUnit?: TextUnit;
  readonly report?: readonly FileReport[];
}

/** The arguments of `hdrscope check`. */
export function parser(): Command {
  const command = createParser('hdrscope check', DESCRIPTION, [
    'hdrscope check autocannon.json --slo p99=250ms --max-errors 0.1%',
    'hdrscope check k6.json --slo p50=5ms --slo p99.9=250ms --min-count 10000 --report junit.xml',
    'hdrscope check service.hlog --tag get --from 1m --slo p99.9=50ms --strict',
    'wrk2 -R 1000 -d 30s --latency http://127.0.0.1:8080/ | hdrscope check - --slo p99=20ms',
  ]).argument('<file...>', 'files in any of these forms; - is standard input');
  addObjectives(command)
    .option('--together', 'judges all files and tags as one')
    .option('--strict', 'the exit code is also 1 when an objective is kept, but not beyond doubt')
    .option('--confidence <part>', 'how sure a verdict beyond doubt has to be', parseConfidence, 0.99)
    .addOption(
      new Option('--metric <name>', 'for k6: the metric that has the durations').default(
        undefined,
        'http_req_duration',
      ),
    )
    .addOption(
      choiceOption('--unit <unit>', 'the unit of the values in logs and histograms', NUMBER_UNITS).default(
        undefined,
        'ns',
      ),
    )
    .addOption(
      textUnitOption('the unit of percentile text and numbers', 'text: ms; numbers: --unit, else none'),
    )
    .option(
      '--report <file>',
      'writes a further report, in the format of its ending (.xml: JUnit, .md: Markdown, .json, .txt); may be repeated',
      (file, others: readonly FileReport[] = []) => [...others, fileReport(file)],
    );
  addFormat(
    addOutput(addNumberOptions(command)),
    CHECK_FORMATS,
    'junit is XML, markdown is for pull requests',
  );
  return addSelection(command);
}

/** `hdrscope check` */
export async function run({ options, operands }: Arguments<Options>, io: Io): Promise<number> {
  assertObjectives(options);
  const format = formatOf(options, CHECK_FORMATS) ?? 'text';
  const outputs: FileReport[] = [{ file: options.output ?? '-', format }, ...(options.report ?? [])];
  assertDifferent(outputs);
  const taking = { takes: TAKEN, otherwise: 'log', numbers: options, command: 'hdrscope check' } as const;
  const { inputs, totalBytes } = await openInputs<CheckKind>(operands, taking, io);
  const progress = startReading(io, totalBytes);
  const [malformed, badLines] = [new MalformedTally(), new LineTally()];
  const report = async (): Promise<number> => Math.max(await malformed.report(io), await badLines.report(io));
  const reading = { ...readingOf(options), ...progress, malformed, badLines };
  const subjects: Subject[] = [];
  try {
    for (const input of inputs) {
      // One at a time: a log may have thousands of tags.
      for (const one of await readSubjects(input, reading)) subjects.push(one);
    }
  } catch (error) {
    progress.finish();
    // Malformed lines may be the reason why there are no values.
    if (error instanceof Refusal) await report();
    throw error;
  }
  progress.finish();
  const judged = (options.together ? [together(subjects)] : subjects).map((one) =>
    judgeSubject(one, options),
  );
  for (const { file, format } of outputs) {
    await withOutput(file, io, async (out) => {
      await out.stdout.write(reports[format](judged, options.confidence, out));
      return ExitCode.done;
    });
  }
  return Math.max(isKept(judged) ? ExitCode.done : ExitCode.refused, await report());
}

function readingOf(options: Options): Omit<SubjectReading, keyof ReadingProgress | 'malformed' | 'badLines'> {
  const { unit, textUnit, slo = [], metric } = options;
  return {
    unit: unit ?? 'ns',
    textUnit,
    numbersIn: textUnit ?? unit,
    numberOptions: options,
    selection: selectionOf(options),
    metric,
    thresholdsIn: (shown) => slo.map((objective) => thresholdIn(objective, shown)),
  };
}

/** @throws UsageError when two reports have the same file. */
function assertDifferent(outputs: readonly FileReport[]): void {
  const files = outputs.map(({ file }) => file);
  const twice = files.find((file, at) => files.indexOf(file) !== at);
  if (twice === undefined) return;
  throw new UsageError(`two reports cannot go to ${twice === '-' ? 'standard output' : twice}`);
}
