import { errorBudget } from '@hdrscope/core/internal';
import { DAY_MS, formatDurationParts } from '@hdrscope/kit';
import {
  HISTOGRAM_FORMS,
  isAlertLabel,
  isGroupLabel,
  isMatcher,
  LEAST_PERIOD_MS,
  neighbours,
  OWN_LABELS,
  unitInName,
} from '@hdrscope/prometheus/internal';
import { type PrometheusSlo, prometheusRules, readScrapedBounds } from '@hdrscope/prometheus/rules';
import { type CountedUnit, SHOWN_UNITS } from '@hdrscope/registry';
import { wrongOption } from '../../arguments.ts';
import { type Io, Refusal, UsageError } from '../../command.ts';
import { defineCommand, defineOptions, type OptionsOf } from '../../define-command.ts';
import { explained, nameOfPath, sizeOf, wholeText } from '../../inputs/input.ts';
import { parseDuration } from '../../moment.ts';
import { OBJECTIVE } from '../../objective.ts';
import { amountExample, amountIn, type Pairs, unitOption } from '../../options.ts';

const DESCRIPTION = `Prints rules for Prometheus that watch an objective: the share of values of a histogram that must be
at most a threshold.

Recording rules keep the ratio of errors, values above the threshold, over windows of several lengths. Alerts fire when the
error budget burns too fast over a long window, and still does over one of a twelfth, as in Google's
SRE workbook: pages for 2 % of the budget in 1/720 of its time (an hour of 30 days) and 5 % in 1/120, tickets for 10 % in
1/30 and in 1/10.

Native histograms answer any threshold, and a further rule records the share of values in the buckets around it, which bounds the
error of a ratio. Ratios are exact with --histogram counter: hdrscope exports a counter of the values within each of the thresholds
that a view or a family states. Histograms with explicit bounds answer their bounds only; other thresholds are refused.`;

const OPTIONS = defineOptions({
  metric: {
    value: '<name>',
    help: 'the histogram in Prometheus, without _bucket',
    required: 'the name of a histogram',
  },
  threshold: {
    value: '<value>',
    help: 'the largest good value: a number of the unit, or as in 300ms, 64KiB',
    required: 'a value, as in 300ms',
  },
  objective: OBJECTIVE,
  window: {
    value: '<duration>',
    help: 'the time for which the error budget lasts, at least 2h24m',
    allowed: `a duration of at least ${formatDurationParts(LEAST_PERIOD_MS)}`,
    parse(text: string, name: string) {
      const ms = parseDuration(text, name) * 1000;
      return ms >= LEAST_PERIOD_MS ? ms : undefined;
    },
    default: 30 * DAY_MS,
    fallback: '30d',
  },
  histogram: {
    value: '<form>',
    help: 'how Prometheus stores it: native has exponential buckets, counter also a counter of the values within the threshold, custom is native with explicit bounds, classic has series with the label le',
    choices: HISTOGRAM_FORMS,
    default: 'native',
  },
  unit: unitOption('the unit of the histogram', 'that in its name, else none'),
  schema: {
    value: '<number>',
    help: 'the coarsest schema of a native histogram, for the error: 3 has buckets of 9 %',
    allowed: 'an integer from -4 to 8',
    parse: (text: string) => (/^(-[1-4]|[0-8])$/.test(text) ? Number(text) : undefined),
    default: 3,
  },
  bounds: {
    value: '<list>',
    help: 'the bounds of a histogram that is custom or classic, as in 100ms,250ms',
  },
  scrape: {
    value: '<file>',
    help: 'instead of --bounds: the text of a scrape with the classic histogram; - is standard input',
  },
  by: {
    value: '<labels>',
    help: 'labels whose values have an objective each, as in job,route; may be repeated',
    allowed: `names of labels, as in job,route, and not le, ${OWN_LABELS.join(', ')}`,
    parse: addLabels,
  },
  match: {
    value: '<matcher>',
    help: 'series that count, as in job="api"; may be repeated',
    allowed: 'a matcher of PromQL, as in job="api"',
    parse: (text: string) => (isMatcher(text) ? text : undefined),
    isRepeated: true,
    fallback: 'all',
  },
  label: {
    value: '<name=value>',
    help: 'a label of the alerts; may be repeated',
    allowed: `a name and a value, as in team=web, and not ${OWN_LABELS.join(', ')}`,
    parse: addLabel,
  },
  name: {
    value: '<text>',
    help: 'the label slo of all series and alerts',
    fallback: 'the metric and the threshold',
  },
});

type Options = OptionsOf<typeof OPTIONS>;

export const command = defineCommand({
  path: 'hdrscope slo rules',
  description: DESCRIPTION,
  examples: [
    'hdrscope slo rules --metric http_request_duration_seconds --threshold 300ms --objective 99.9%',
    'hdrscope slo rules --metric rpc_seconds --threshold 1s --objective 99% --by job --label team=web -o slo.yaml',
    'hdrscope slo rules --metric rpc_seconds --threshold 1s --objective 99% --histogram classic --scrape metrics.txt',
  ],
  options: OPTIONS,
  output: 'when done',
  writes: ['yaml'],
  async run({ options }, io) {
    await io.stdout.write(prometheusRules([await readSlo(options, io)]));
  },
});

async function readSlo(options: Options, io: Io): Promise<PrometheusSlo> {
  const { metric, objective } = options;
  return {
    ...(await readThreshold(metric, options, io)),
    name: options.name,
    metric,
    budget: errorBudget(objective),
    periodMs: options.window,
    by: options.by ?? [],
    matchers: options.match,
    labels: options.label ?? {},
  };
}

function addLabels(text: string, _: string, before: readonly string[] = []): readonly string[] | undefined {
  const labels = text.split(',').map((label) => label.trim());
  return labels.every(isGroupLabel) ? [...new Set([...before, ...labels])] : undefined;
}

function addLabel(text: string, _: string, before: Pairs = {}): Pairs | undefined {
  const [, name = '', value = ''] = /^([^=]*)=(.*)$/s.exec(text) ?? [];
  return isAlertLabel(name) ? { ...before, [name]: value } : undefined;
}

// The threshold.

/** The fields of an objective that the options decide. */
type Threshold = Pick<PrometheusSlo, 'threshold' | 'thresholdText' | 'histogram' | 'schema' | 'bounds'>;

/** @throws UsageError; Refusal when a histogram with explicit bounds has no such bound. */
async function readThreshold(metric: string, options: Options, io: Io): Promise<Threshold> {
  const { histogram, schema, threshold: text } = options;
  const unit = options.unit ?? unitInName(metric);
  const threshold = valueIn(text, unit, '--threshold');
  const shared = { threshold, thresholdText: text, histogram, schema };
  if (histogram === 'native' || histogram === 'counter') {
    if (options.bounds !== undefined || options.scrape !== undefined) {
      throw new UsageError(
        '--bounds and --scrape need --histogram custom or classic: a native histogram has no bounds of its own',
      );
    }
    return shared;
  }
  const bounds = await boundsOf(metric, unit, options, io);
  if (!bounds.includes(threshold)) throw notABound(threshold, unit, metric, bounds);
  return { ...shared, bounds };
}

async function boundsOf(
  metric: string,
  unit: CountedUnit,
  { bounds, scrape }: Options,
  io: Io,
): Promise<readonly number[]> {
  if ((bounds === undefined) === (scrape === undefined)) {
    throw new UsageError(
      '--histogram custom and classic need either --bounds or --scrape: only a bound of the histogram is an exact threshold',
    );
  }
  if (bounds !== undefined) return bounds.split(',').map((one) => valueIn(one.trim(), unit, '--bounds'));
  const path = scrape!;
  const name = nameOfPath(path);
  if (path !== '-') await sizeOf(path);
  const source = path === '-' ? io.stdin : path;
  const text = await wholeText({ name, source }, 'the text of a scrape');
  return explained(() => readScrapedBounds(text, metric, name));
}

function notABound(value: number, unit: CountedUnit, metric: string, bounds: readonly number[]): Refusal {
  const shown = SHOWN_UNITS[unit].unit === '' ? '' : ` ${unit}`;
  const nearest = neighbours(value, bounds).map((bound) => `${bound}${shown}`);
  const cure =
    nearest.length === 1
      ? `the nearest one is ${nearest[0]}`
      : `the nearest ones are ${nearest.join(' and ')}`;
  return new Refusal(
    `--threshold must be a bound of ${metric}, which knows no more about its values, got ${value}${shown}: ${cure}`,
  );
}

/** @throws UsageError */
function valueIn(text: string, unit: CountedUnit, name: string): number {
  const value = amountIn(text, unit);
  if (value !== undefined && value > 0 && Number.isFinite(value)) return value;
  const cure = unit === 'none' ? ' (--unit states the unit of the histogram)' : '';
  throw wrongOption(name, `a value above 0, as in ${amountExample(unit)}${cure}`, text);
}
