/** What the page asks about a history: the Parquet files that were dropped together. */
import { fileName } from '@hdrscope/page/download';
import type { Question } from './views.ts';

/** The folder that commands see. */
export const FOLDER = 'history';

/** A metric, as `hdrscope query FOLDER --json` describes it. */
export interface HistoryMetricJson {
  readonly metric: string;
  readonly attributes: readonly string[];
  readonly series: number;
  readonly rows: number;
  readonly startSec: number;
  readonly endSec: number;
}

/** A history of the page. */
export interface PageHistory {
  readonly name: string;
  /** Its files by their paths. */
  readonly files: ReadonlyMap<string, Blob>;
  readonly metrics: readonly [HistoryMetricJson, ...HistoryMetricJson[]];
}

const MAGIC = 'PAR1';

/** Whether a file is one of Parquet, by its first bytes. */
export async function isParquet(blob: Blob): Promise<boolean> {
  return (await blob.slice(0, MAGIC.length).text()) === MAGIC;
}

/** The files of a history by their paths in its folder. Two of one name, of two days, stay two. */
export function placeFiles(
  given: readonly { readonly name: string; readonly blob: Blob }[],
): ReadonlyMap<string, Blob> {
  const files = new Map<string, Blob>();
  for (const { name, blob } of given) {
    const path = `${FOLDER}/${name}`;
    files.set(files.has(path) ? `${FOLDER}/${files.size + 1}-${name}` : path, blob);
  }
  return files;
}

export function askMetrics(): Question {
  return { command: 'query', words: [FOLDER, '--json'] };
}

/** What the reader has chosen of a history. */
export interface HistoryChoices {
  readonly metric: string;
  /** The attribute that groups series. */
  readonly by: string | undefined;
}

function listWords({ metric, by }: HistoryChoices): string[] {
  return [FOLDER, '--metric', metric, ...(by === undefined ? [] : ['--by', by])];
}

export function askGroups(choices: HistoryChoices): Question {
  return { command: 'query', words: [...listWords(choices), '--json'], table: 'values' };
}

/** The commands that draw a metric: by percentile, over time and as a heat map. */
export function askHistoryPlots(choices: HistoryChoices, metrics: readonly HistoryMetricJson[]): Question[] {
  const words = listWords(choices);
  const kinds = [
    ['--kind', 'percentiles'],
    ['--kind', 'over-time', '--percentiles', '50,99', '--every', chooseStretch(choices, metrics)],
    ['--kind', 'heat-map'],
  ];
  return kinds.map((kind) => ({ command: 'query', words: [...words, ...kind, '--json'] }));
}

/** The forms in which the page offers what `hdrscope query` writes. */
export const ANSWER_FORMS = ['csv', 'json'] as const;

/** The command that writes the figures of all groups to a file, of all the time or of each stretch of it. */
export function askAnswer(
  choices: HistoryChoices,
  metrics: readonly HistoryMetricJson[],
  { form, isOverTime }: { readonly form: (typeof ANSWER_FORMS)[number]; readonly isOverTime: boolean },
): Question & { readonly output: string } {
  const every = isOverTime ? ['--every', chooseStretch(choices, metrics)] : [];
  return {
    command: 'query',
    words: [...listWords(choices), ...every],
    output: fileName(choices.metric, form),
  };
}

/** Two times of a metric that are compared: the same length before and after a moment. */
export interface Division {
  /** Seconds since 1970. */
  readonly changedSec: number;
  readonly lengthSec: number;
  /** From 0 to 100. */
  readonly percentile: string;
}

/** From the first value of a metric to its last, in seconds since 1970. */
export function measureMetric(
  metric: string,
  metrics: readonly HistoryMetricJson[],
): { readonly startSec: number; readonly endSec: number } {
  let [startSec, endSec] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const one of metrics) {
    if (one.metric !== metric) continue;
    startSec = Math.min(startSec, one.startSec);
    endSec = Math.max(endSec, one.endSec);
  }
  return { startSec, endSec };
}

/** The command that says whether percentiles differ between two times. */
export function askComparison({ metric }: HistoryChoices, division: Division): Question {
  return { command: 'query', words: [FOLDER, '--metric', metric, ...listRanges(division)] };
}

/** The command that explains why a percentile moved. */
export function askExplanation({ metric }: HistoryChoices, division: Division): Question {
  const words = [FOLDER, '--metric', metric, '--percentile', division.percentile, ...listRanges(division)];
  return { command: 'explain', words };
}

function listRanges({ changedSec, lengthSec }: Division): string[] {
  const [start, changed, end] = [changedSec - lengthSec, changedSec, changedSec + lengthSec].map(
    formatMoment,
  );
  return ['--before', `${start}/${changed}`, '--after', `${changed}/${end}`];
}

/** A time as the field of a page and the options of commands have it, in UTC. */
export function formatMoment(seconds: number): string {
  return new Date(1000 * seconds).toISOString().replace(/(\.000)?Z$/, '');
}

// As many stretches of time as a picture has columns.
const MOST_STRETCHES = 240;

/** Lengths of stretches of time, as the option has them, and their seconds. */
const STRETCHES: readonly (readonly [text: string, seconds: number])[] = [
  ...[1, 2, 5, 10, 30].map((seconds) => [`${seconds}s`, seconds] as const),
  ...[1, 2, 5, 10, 30].map((minutes) => [`${minutes}m`, 60 * minutes] as const),
  ...[1, 2, 4, 12].map((hours) => [`${hours}h`, 3600 * hours] as const),
  ...[1, 7, 28, 364].map((days) => [`${days}d`, 86_400 * days] as const),
];

/** The shortest stretch of time that has whole intervals, and of which a picture has room for all. */
function chooseStretch({ metric }: HistoryChoices, metrics: readonly HistoryMetricJson[]): string {
  const { startSec, endSec } = measureMetric(metric, metrics);
  const intervals = metrics.reduce(
    (most, one) => (one.metric === metric ? Math.max(most, one.rows / one.series) : most),
    1,
  );
  const seconds = endSec - startSec;
  // Timers are late: an interval of a minute may take 60.2 seconds.
  const least = Math.max(seconds / (MOST_STRETCHES - 1), (0.95 * seconds) / intervals);
  const [text] = STRETCHES.find(([, length]) => length >= least) ?? STRETCHES.at(-1)!;
  return text;
}
