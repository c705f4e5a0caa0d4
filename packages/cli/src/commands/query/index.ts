import { type HistoryGroup, historyMetrics, historySql, queryHistory } from '@hdrscope/history';
import { explainNothing } from '@hdrscope/history/internal';
import { valuesText } from '@hdrscope/kit';
import type { Plot } from '@hdrscope/plot';
import { ExitCode, type Io, Refusal, UsageError } from '../../command.ts';
import { DEFAULT_CONFIDENCE, exitCodeOf } from '../../comparison/index.ts';
import { defineCommand } from '../../define-command.ts';
import { jsonDocument, percentilesFor } from '../../figures.ts';
import { formatReport } from '../../file-reports.ts';
import { withOutput } from '../../output-options.ts';
import { wrapToScreen } from '../../screen/help-text.ts';
import {
  assertDrawable,
  columnsOf,
  FORMATS as PLOT_FORMATS,
  type Format as PlotFormat,
  writePlots,
} from '../plot/drawing.ts';
import { noteCrossing } from './crossing.ts';
import { type AskedHistory, askHistory, metricNames, missingJson, withEngine } from './engine.ts';
import {
  assertKindFits,
  assertOptionsFit,
  DESCRIPTION,
  isDrawn,
  kindOf,
  OPTIONS,
  type Options,
  optionOfMetric,
  PICTURES,
  pictureOption,
  questionOf,
  selectionOf,
  TABLE_FORMATS,
  type TableFormat,
} from './options.ts';

export const command = defineCommand({
  path: 'hdrscope query',
  description: DESCRIPTION,
  examples: [
    'hdrscope query history',
    'hdrscope query history --metric http.server.request.duration --by http.route',
    'hdrscope query history --metric rpc.duration --where status=200 --since 7d --every 1h',
    'hdrscope query history --metric rpc.duration --since 2026-10-01 --every 1d -o rpc.html',
    'hdrscope query history --metric rpc.duration --since 30d --kind heat-map -o rpc.png',
    'hdrscope query history --metric rpc.duration --before 2026-10-01/1d 2026-10-02/1d 2026-10-03/1d --after 2026-10-08/1d 2026-10-09/1d 2026-10-10/1d --fail-if-worse 5%',
    'hdrscope query history --metric rpc.duration --by version --kind comparison',
    'hdrscope query history --metric rpc.duration --builds service.version --last 30 --fail-if-worse 5%',
    'hdrscope query --prometheus http://localhost:9090 --metric http_request_duration_seconds --by route --since 6h',
    'hdrscope query history --metric rpc.duration --print-sql --dialect spark',
  ],
  operands: { '[folder]': 'the folder of a history; not needed with --prometheus or --print-sql --table' },
  options: OPTIONS,
  formats: [...TABLE_FORMATS, ...PICTURES],
  formatNotes: 'svg, png and html are plots',
  output: 'by command',
  async run({ options, operands: [folder], format: asked }, io) {
    assertOptionsFit(options, folder);
    assertKindFits(options);
    if (options.printSql === true)
      return withOutput(options.output, io, (out) => printSql(options, folder, out));
    const { prometheus } = options;
    if (prometheus !== undefined) {
      const { askPrometheus } = await import('./prometheus.ts');
      return askPrometheus({ ...options, prometheus }, io, (history) => answer(options, asked, history, io));
    }
    return askHistory(folder!, options, io, async (history) =>
      answer(await withMetric(options, asked, history), asked, history, io),
    );
  },
});

async function answer(
  options: Options,
  asked: TableFormat | PlotFormat,
  history: AskedHistory,
  io: Io,
): Promise<number> {
  if (options.metric !== undefined && isDrawn(options, asked)) {
    const format = PLOT_FORMATS.find((one) => one === asked) ?? 'text';
    return draw(options, format, history, io);
  }
  const format = TABLE_FORMATS.find((one) => one === asked) ?? 'text';
  if (options.builds !== undefined) return findBuildChanges(options, options.builds, format, history, io);
  if (kindOf(options) === 'comparison') return compare(options, format, history, io);
  return withOutput(options.output, io, (out) =>
    options.metric === undefined ? list(format, history, out) : print(options, format, history, out),
  );
}

/**
 * Options with the metric that they ask about: the only one of the history, unless they name another one.
 *
 * @throws UsageError when the history has several, and an option asks about one.
 */
async function withMetric(
  options: Options,
  format: TableFormat | PlotFormat,
  history: AskedHistory,
): Promise<Options> {
  if (options.metric !== undefined) return options;
  const option = optionOfMetric(options) ?? pictureOption(options, format);
  if (option === undefined) return options;
  const names = await metricNames(history);
  if (names.length > 1)
    throw new UsageError(`${option} goes with --metric: ${history.folder} has ${names.join(', ')}`);
  return names.length === 1 ? { ...options, metric: names[0]! } : options;
}

async function printSql(options: Options, folder: string | undefined, io: Io): Promise<number> {
  const { table, dialect = 'duckdb' } = options;
  const percentiles = percentilesFor(options, false);
  const isFolder = folder !== undefined && dialect !== 'postgres';
  // PostgreSQL reads no files.
  const source = isFolder ? { folder } : table === undefined ? {} : { table: table.split('.') };
  await io.stdout.write(`${historySql(questionOf(options, percentiles), dialect, source)}\n`);
  return ExitCode.done;
}

async function list(format: TableFormat, history: AskedHistory, io: Io): Promise<number> {
  const { metricsText } = await import('./answer.ts');
  const metrics = await withEngine(history.folder, () => historyMetrics(history.folder, history.query));
  if (metrics.length === 0 && format === 'text' && history.missing.size === 0) {
    throw new Refusal(
      `${history.folder} has no rows of a history: hdrscope history import LOG -o ${history.folder} adds those of a log`,
    );
  }
  await io.stdout.write(metricsText(metrics, history, format, io));
  return ExitCode.done;
}

async function print(options: Options, format: TableFormat, history: AskedHistory, io: Io): Promise<number> {
  const percentiles = [...new Set(percentilesFor(options, format !== 'json'))];
  const groups = await ask(options, percentiles, history, io);
  const { answerCsv, answerJson, answerText } = await import('./answer.ts');
  const { metric = '', columns, by, every, timeZone } = options;
  const asked = { metric, ...(columns && { columns }), percentiles, by, every, timeZone };
  const { readTraces, tracesJson, tracesText } = await import('./traces.ts');
  const limit = options.traces;
  const traces =
    limit === undefined ? undefined : await readTraces(history, { ...selectionOf(options), limit });
  if (format === 'json')
    await io.stdout.write(answerJson(groups, asked, history, traces && tracesJson(traces)));
  else if (format === 'csv') await io.stdout.write(answerCsv(groups, asked));
  else if (groups.length > 0) {
    await io.stdout.write(`${answerText(groups, asked, io)}${tracesText(traces ?? [], io)}`);
  }
  return ExitCode.done;
}

async function compare(
  options: Options,
  format: TableFormat,
  history: AskedHistory,
  io: Io,
): Promise<number> {
  percentilesFor(options, false);
  if (format === 'csv') throw new UsageError('a comparison is written as text or json');
  const { historyDifferences, readComparison } = await import('./comparison.ts');
  const comparison = await readComparison(history, options).catch(explained(history, options));
  const differences = historyDifferences(comparison, options);
  return withOutput(options.output, io, async (out) => {
    const { comparisonReport } = await import('../../comparison/report.ts');
    const report = comparisonReport(differences);
    await out.stdout.write(
      format === 'json'
        ? jsonDocument({ ...report.json(), ...missingJson(history) })
        : formatReport(report, 'text', out),
    );
    return exitCodeOf(differences);
  });
}

async function findBuildChanges(
  options: Options,
  key: string,
  format: TableFormat,
  history: AskedHistory,
  io: Io,
): Promise<number> {
  percentilesFor(options, false);
  if (format === 'csv') throw new UsageError('--builds is answered as text or json');
  const { readBuilds } = await import('./comparison.ts');
  const { judgeBuilds, changesReport } = await import('../../comparison/changes.ts');
  const explain = explained(history, { ...options, by: [key] });
  const { builds, scale, lost } = await readBuilds(history, options, key).catch(explain);
  if (lost > 0) await io.stderr.write(`hdrscope: ${valuesText(lost)} without ${key} belong to no build\n`);
  const { percentiles, confidence = DEFAULT_CONFIDENCE, failIfWorse, last = builds.length } = options;
  const series = judgeBuilds(builds.slice(-last), scale, { percentiles, confidence, failIfWorse });
  const report = changesReport(series);
  return withOutput(options.output, io, async (out) => {
    await out.stdout.write(
      format === 'json'
        ? jsonDocument({ ...report.json(), ...missingJson(history) })
        : formatReport(report, 'text', out),
    );
    return exitCodeOf(series);
  });
}

async function draw(options: Options, format: PlotFormat, history: AskedHistory, io: Io): Promise<number> {
  percentilesFor(options, false);
  assertDrawable(format, options);
  const {
    plots,
    verdicts = [],
    exitCode,
  } = await drawn(options, history, columnsOf(format, options, io), io);
  const [first, ...others] = plots.map((plot) =>
    options.title === undefined ? plot : { ...plot, title: options.title },
  );
  if (first === undefined) throw new Refusal('there is nothing to draw');
  await writePlots([first, ...others], format, options, verdicts, io);
  return exitCode;
}

interface Drawn {
  readonly plots: readonly Plot[];
  /** Sentences below a text. */
  readonly verdicts?: readonly string[];
  readonly exitCode: number;
}

async function drawn(options: Options, history: AskedHistory, columns: number, io: Io): Promise<Drawn> {
  switch (kindOf(options)) {
    case 'comparison': {
      const { comparisonPlotOf, historyDifferences, readComparison } = await import('./comparison.ts');
      const { wordsOf } = await import('../../comparison/words.ts');
      const comparison = await readComparison(history, options).catch(explained(history, options));
      const differences = historyDifferences(comparison, options);
      const verdicts = wordsOf(differences).sentences.map((sentence) => wrapToScreen(sentence, io));
      const plots = [comparisonPlotOf(comparison, options, columns)];
      return { plots, verdicts, exitCode: exitCodeOf(differences) };
    }
    case 'heat-map': {
      const { heatMapsOf } = await import('./plots.ts');
      const plots = await heatMapsOf(history, options, io);
      if (plots.length === 0) await explain(history, options, io);
      return { plots, exitCode: ExitCode.done };
    }
    case 'percentiles':
    case 'over-time': {
      const { answerPlots, CURVE_PERCENTILES } = await import('./plots.ts');
      const { metric = '', by, every, timeZone } = options;
      const percentiles = every === undefined ? CURVE_PERCENTILES : [...new Set(options.percentiles)];
      const groups = await ask(options, percentiles, history, io);
      const asked = { metric, percentiles, by, every, timeZone };
      const plots = await answerPlots(groups, asked, history, options, columns);
      return { plots, exitCode: ExitCode.done };
    }
  }
}

/** @throws Refusal */
async function ask(
  options: Options,
  percentiles: readonly number[],
  history: AskedHistory,
  io: Io,
): Promise<HistoryGroup[]> {
  const groups = await withEngine(history.folder, () =>
    queryHistory(history.folder, questionOf(options, percentiles), history.query),
  );
  const { every, timeZone } = options;
  await noteCrossing(history, { every, timeZone, selection: selectionOf(options) }, groups, io);
  const isUseful = options.by.every((key) => groups.some(({ attributes }) => Object.hasOwn(attributes, key)));
  if (groups.length === 0 || !isUseful) await explain(history, options, groups.length === 0 ? io : undefined);
  return groups;
}

/**
 * Says why an answer has no values, or why its groups do not differ.
 *
 * @param io Left out, nothing is said unless the history has no such metric or attribute.
 * @throws Refusal when the history has no such metric or attribute.
 */
async function explain(history: AskedHistory, options: Options, io?: Io): Promise<void> {
  const { folder, query } = history;
  const { metric = '', by, where } = options;
  const text = await withEngine(folder, () => explainNothing(folder, { metric, by, where }, query));
  await io?.stderr.write(`hdrscope: ${text}\n`);
}

/** Throws a better reason than a refusal: that the history has no such metric or attribute. */
function explained(history: AskedHistory, options: Options): (error: unknown) => Promise<never> {
  return async (error) => {
    if (error instanceof Refusal) await explain(history, options);
    throw error;
  };
}
