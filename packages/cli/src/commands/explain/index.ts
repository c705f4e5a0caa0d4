import { explainHistory } from '@hdrscope/history';
import { explainRows, type TimeRange } from '@hdrscope/history/internal';
import { ExitCode, type Io } from '../../command.ts';
import { defineCommand, type Given } from '../../define-command.ts';
import { withOutput } from '../../output-options.ts';
import type { SidesGiven } from '../diff/sides.ts';
import { assertPicture } from '../plot/drawing.ts';
import { askHistory, metricNames, withEngine } from '../query/engine.ts';
import { readTraces } from '../query/traces.ts';
import { drawExplanation, type Explained, explanationJson, explanationText } from './report.ts';
import {
  assertForHistory,
  assertForLogs,
  chooseMetric,
  EXPLAIN,
  type ExplainOptions,
  findSides,
  type HistorySides,
  readLogSides,
} from './sides.ts';

const DESCRIPTION = `Explains why a percentile moved from one time of a history to another, or from one log to another, by the attributes of
the series.

The cause is the attribute value whose series gained more slow values than those of every other, and more than chance may
explain. Two or three attribute values are a cause together (route=/pay & host=h2) when each of them is needed. There may be
up to three causes. Each explains a part of the difference, by the values that its series counted and by their share
of all values ("more of /reports"); the parts of all causes and of all other series add up to 100 %. A part above 100 %
means that others made the difference smaller. The causes explain at least half of the difference together. Attribute
values that select the same series share a row, because the data cannot separate them.

A difference that may be chance is not explained. A significant difference may have no explanation: then all series moved
alike, or the series that moved share no attribute values that the others lack.

Values in wide buckets make bounds of parts. The table then shows the least part of each cause: how much of the difference
would be gone if its series alone had stayed as they were. The sentence states the least part of all causes together. The
verdict is undecided when it depends on where the values lie in their buckets. Where series have different buckets, a cause is
a single attribute value.

With the folder of a history, --before and --after are ranges: a start and an end
(2026-03-10T14:00/2026-03-10T15:10, 2026-03-10T14:00/15:10), or one of them and a duration (2026-03-10T14:00/70m). Times are
UTC unless they say otherwise. An interval belongs to the range in which it starts. Where the history has exemplars, the
largest values after the change are listed with their traces.

Without a folder, --before and --after are interval logs, whose values are added up. The tag of an interval is its series: rpc?host=a&method=get is
the metric rpc with two attributes, and get is the attribute tag=get of the metric "values".

A picture (-o FILE.svg, -o FILE.png) shows the parts as steps from the percentile before to that after.`;

const FORMATS = ['text', 'json', 'svg', 'png'] as const;

/** How many of the largest values after the change are listed with their traces. */
const TRACES = 5;

export const command = defineCommand({
  path: 'hdrscope explain',
  description: DESCRIPTION,
  examples: [
    'hdrscope explain history --metric http.server.request.duration --before 2026-03-10T14:00/15:10 --after 2026-03-10T15:10/15:18',
    'hdrscope explain history --metric rpc.duration --percentile 99 --before 2026-03-09/1d --after 2026-03-10/1d --where region=eu',
    'hdrscope explain monday.hlog tuesday.hlog',
    'hdrscope explain monday.hlog tuesday.hlog -o change.png',
    'hdrscope explain --before main/*.hlog --after pr/*.hlog --metric rpc.duration',
  ],
  operands: { '[path...]': 'the folder of a history, or a log before and one after; - is standard input' },
  options: EXPLAIN,
  formats: FORMATS,
  formatNotes: 'svg and png are a waterfall of the parts',
  output: 'by command',
  async run(given, io) {
    assertPicture(given.format, given.options.output);
    const sides = await findSides(given.operands, given.options);
    return 'folder' in sides ? explainRanges(sides, given, io) : explainLogs(sides, given, io);
  },
});

type GivenExplain = Given<ExplainOptions, (typeof FORMATS)[number]>;

async function write(explained: Explained, { options, format }: GivenExplain, io: Io): Promise<void> {
  const { output, top } = options;
  if (format === 'svg' || format === 'png') return drawExplanation(explained, format, output, io);
  await withOutput(output, io, async (file) => {
    await file.stdout.write(
      format === 'json' ? explanationJson(explained) : explanationText(explained, top, file),
    );
    return ExitCode.done;
  });
}

/** Explains two times of a history. @returns The exit code. */
async function explainRanges(
  { folder, ...ranges }: HistorySides,
  given: GivenExplain,
  io: Io,
): Promise<number> {
  const { options } = given;
  assertForHistory(options);
  const { percentile, where } = options;
  return askHistory(folder, options, io, async (history) => {
    const metric = options.metric ?? chooseMetric(await metricNames(history), undefined, `${folder} has`);
    const question = { metric, ...ranges, percentile, where };
    const explanation = await withEngine(folder, () => explainHistory(folder, question, history.query));
    const traces = await readTraces(history, { metric, where, ...ranges.after, limit: TRACES });
    const sides = { before: spanOf(ranges.before), after: spanOf(ranges.after) };
    await write({ explanation, metric, sides, traces, missing: history.missing }, given, io);
    return ExitCode.done;
  });
}

function spanOf({ sinceMs, untilMs }: TimeRange): { readonly startSec: number; readonly endSec: number } {
  return { startSec: sinceMs / 1000, endSec: untilMs / 1000 };
}

/** Explains two sides of logs. @returns The exit code. */
async function explainLogs(files: SidesGiven, given: GivenExplain, io: Io): Promise<number> {
  const { options } = given;
  assertForLogs(options);
  const { percentile, where } = options;
  const { before, after, report } = await readLogSides(files, options, io);
  const metric = chooseMetric(
    [...before.rows, ...after.rows].map((row) => row.metric),
    options.metric,
    'the logs have',
  );
  const explanation = explainRows(before.rows, after.rows, { metric, percentile, where });
  await write({ explanation, metric, sides: { before, after }, traces: [], missing: new Map() }, given, io);
  return report();
}
