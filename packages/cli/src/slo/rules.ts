import { type Command, Option } from 'commander';
import { type Arguments, choiceOption, createParser, wrongOption } from '../arguments.ts';
import { ExitCode, type Io, UsageError } from '../command.ts';
import { durationText, parseDuration } from '../duration.ts';
import { DAY_MS } from '../history/options.ts';
import { NUMBER_UNITS } from '../numbers/number-unit.ts';
import { objectiveOption } from '../objective.ts';
import { writeLines } from '../output-file.ts';
import { addOutput } from '../output-options.ts';
import { HISTOGRAM_FORMS, isLabelName, isMatcher } from './prometheus.ts';
import { readThreshold, type ThresholdOptions } from './read-threshold.ts';
import { commentOf, LEAST_PERIOD_MS, OWN_LABELS, rulesOf, rulesYaml, type Slo } from './rule-groups.ts';

const DESCRIPTION = `Prints rules for Prometheus that watch an objective: the share of values of a histogram that must be
at most a threshold.

Recording rules keep the ratio of errors, values above the threshold, over windows of several lengths. Alerts fire when the
error budget burns too fast over a long window, and still does over one of a twelfth, as in Google's
SRE workbook: pages for 2 % of the budget in 1/720 of its time (an hour of 30 days) and 5 % in 1/120, tickets for 10 % in
1/30 and in 1/10.

Native histograms answer any threshold. When it divides a bucket, a further rule records the share of values in this bucket, which
bounds the error of a ratio. Histograms with explicit bounds answer their bounds only, exactly; other thresholds are refused.`;

interface Options extends ThresholdOptions {
  readonly metric?: string;
  /** In percent. */
  readonly objective?: number;
  /** In milliseconds. */
  readonly window: number;
  readonly by?: readonly string[];
  readonly match?: readonly string[];
  readonly label?: Readonly<Record<string, string>>;
  readonly name?: string;
  readonly output?: string;
}

/** The arguments of `hdrscope slo rules`. */
export function parser(): Command {
  const command = createParser('hdrscope slo rules', DESCRIPTION, [
    'hdrscope slo rules --metric http_request_duration_seconds --threshold 300ms --objective 99.9%',
    'hdrscope slo rules --metric rpc_seconds --threshold 1s --objective 99% --by job --label team=web -o slo.yaml',
    'hdrscope slo rules --metric rpc_seconds --threshold 1s --objective 99% --histogram classic --scrape metrics.txt',
  ])
    .option('--metric <name>', 'the histogram in Prometheus, without _bucket; required')
    .option(
      '--threshold <value>',
      'the largest good value: a number of the unit, or as in 300ms, 64KiB; required',
    )
    .addOption(objectiveOption())
    .addOption(
      new Option('--window <duration>', 'the time for which the error budget lasts, at least 2h24m')
        .argParser(parseWindow)
        .default(30 * DAY_MS, '30d'),
    )
    .addOption(
      choiceOption(
        '--histogram <form>',
        'how Prometheus stores it: native has exponential buckets, custom is native with explicit bounds, classic has series with the label le',
        HISTOGRAM_FORMS,
      ).default('native'),
    )
    .addOption(
      choiceOption(
        '--unit <unit>',
        'the unit of the histogram (default: that in its name, else none)',
        NUMBER_UNITS,
      ),
    )
    .option(
      '--schema <number>',
      'the coarsest schema of a native histogram, for the error: 3 has buckets of 9 %',
      parseSchema,
      3,
    )
    .option('--bounds <list>', 'the bounds of a histogram that is custom or classic, as in 100ms,250ms')
    .option(
      '--scrape <file>',
      'instead of --bounds: the text of a scrape with the classic histogram; - is standard input',
    )
    .option(
      '--by <labels>',
      'labels whose values have an objective each, as in job,route; may be repeated',
      addLabels,
    )
    .option('--match <matcher>', 'series that count, as in job="api"; may be repeated', addMatcher)
    .option('--label <name=value>', 'a label of the alerts; may be repeated', addLabel)
    .option(
      '--name <text>',
      'the label slo of all series and alerts (default: the metric and the threshold)',
    );
  return addOutput(command);
}

/** `hdrscope slo rules` */
export async function run({ options }: Arguments<Options>, io: Io): Promise<number> {
  const slo = await sloOf(options, io);
  const yaml = rulesYaml(`slo: ${slo.name}`, rulesOf(slo), commentOf(slo));
  await writeLines(linesOf(yaml), options.output, io);
  return ExitCode.done;
}

async function* linesOf(text: string): AsyncGenerator<string, void> {
  yield text;
}

async function sloOf(options: Options, io: Io): Promise<Slo> {
  const { metric, objective } = options;
  if (metric === undefined || metric === '')
    throw new UsageError('--metric is required: the name of a histogram');
  if (objective === undefined) throw new UsageError('--objective is required: a percentage, as in 99.9%');
  const threshold = await readThreshold(metric, options, io);
  return {
    name: options.name ?? `${metric} ${threshold.text}`,
    metric,
    threshold,
    budget: budgetOf(objective),
    periodMs: options.window,
    by: options.by ?? [],
    matchers: options.match ?? [],
    labels: options.label ?? {},
  };
}

/** The part of values that may be bad, without the errors of binary fractions. */
function budgetOf(objectivePercent: number): number {
  return Number((Number((100 - objectivePercent).toPrecision(12)) / 100).toPrecision(12));
}

function parseWindow(text: string): number {
  const ms = parseDuration(text, '--window') * 1000;
  if (ms >= LEAST_PERIOD_MS) return ms;
  throw wrongOption('--window', `a duration of at least ${durationText(LEAST_PERIOD_MS)}`, text);
}

function parseSchema(text: string): number {
  const schema = /^-?\d$/.test(text) ? Number(text) : Number.NaN;
  if (schema >= -4 && schema <= 8) return schema;
  throw wrongOption('--schema', 'an integer from -4 to 8', text);
}

/** Labels of the rules, and the bound of a bucket. */
const NOT_TO_GROUP_BY: ReadonlySet<string> = new Set(['', 'le', ...OWN_LABELS]);

function addLabels(text: string, before: readonly string[] = []): readonly string[] {
  const labels = text.split(',').map((label) => label.trim());
  // A name may have any characters: Prometheus 3 takes them in quotes.
  if (labels.every((label) => !NOT_TO_GROUP_BY.has(label) && !/["\\\n]/.test(label))) {
    return [...new Set([...before, ...labels])];
  }
  throw wrongOption(
    '--by',
    `names of labels, as in job,route, and not ${[...NOT_TO_GROUP_BY].filter(Boolean).join(', ')}`,
    text,
  );
}

function addMatcher(text: string, before: readonly string[] = []): readonly string[] {
  if (!isMatcher(text)) throw wrongOption('--match', 'a matcher of PromQL, as in job="api"', text);
  return [...before, text];
}

function addLabel(
  text: string,
  before: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  const [, name = '', value = ''] = /^([^=]*)=(.*)$/s.exec(text) ?? [];
  if (!isLabelName(name) || OWN_LABELS.includes(name)) {
    throw wrongOption(
      '--label',
      `a name and a value, as in team=web, and not ${OWN_LABELS.join(', ')}`,
      text,
    );
  }
  return { ...before, [name]: value };
}
