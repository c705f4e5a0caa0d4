import { explainHistory, type TimeRange } from '@hdrscope/history';
import { type Command, Option } from 'commander';
import { type Arguments, createParser, integerParser, isDecimal, wrongOption } from '../arguments.ts';
import { ExitCode, type Io, UsageError } from '../command.ts';
import { type Pairs, whereOption } from '../history/attribute-option.ts';
import { addFormat, addOutput, formatOf, type OutputOptions, withOutput } from '../output-options.ts';
import { withEngine } from '../query/engine.ts';
import { explanationJson, explanationText } from './explanation-text.ts';
import { assertApart, parseRange } from './ranges.ts';

const DESCRIPTION = `Explains why a percentile moved from one range of time to another, by the attributes of the series.

An attribute value explains a part of the difference: the part that would be missing if its series had stayed as they
were. Each value has such a part for the values that its series counted, and one for their share of all values ("more
of /reports"). The cause is the attribute value whose series gained the most slow values, compared with all others; it
must explain at least half of the difference, and more than chance does. Attribute values that select the same series
share a row, because the data cannot separate them.

A difference that may be chance is not explained. A difference beyond doubt may have no explanation: then all series
moved alike, or the series that moved share no attribute value that the others lack.

A range is a start and an end (2026-03-10T14:00/2026-03-10T15:10, 2026-03-10T14:00/15:10), or one of them and a duration
(2026-03-10T14:00/70m). Times are UTC unless they say otherwise. An interval belongs to the range in which it starts.`;

const FORMATS = ['text', 'json'] as const;

interface Options extends OutputOptions<(typeof FORMATS)[number]> {
  readonly metric?: string;
  readonly before?: TimeRange;
  readonly after?: TimeRange;
  readonly percentile: number;
  readonly where: Pairs;
  readonly top: number;
}

/** The arguments of `hdrscope explain`. */
export function parser(): Command {
  const command = createParser('hdrscope explain', DESCRIPTION, [
    'hdrscope explain history --metric http.server.request.duration --before 2026-03-10T14:00/15:10 --after 2026-03-10T15:10/15:18',
    'hdrscope explain history --metric rpc.duration --percentile 99 --before 2026-03-09/1d --after 2026-03-10/1d --where region=eu',
  ])
    .argument('<folder>', 'the folder of a history')
    .option('--metric <name>', 'the metric; required')
    .option('--before <range>', 'the time that was usual; required', (text) => parseRange(text, '--before'))
    .option('--after <range>', 'the time to explain; required', (text) => parseRange(text, '--after'))
    .addOption(
      new Option('--percentile <number>', 'which percentile, as in 99 or 99.9')
        .argParser(parsePercentile)
        .default(99.9),
    )
    .addOption(whereOption())
    .addOption(
      new Option('--top <count>', 'how many attribute values the table shows')
        .argParser(integerParser('--top', 1))
        .default(10),
    );
  return addFormat(addOutput(command), FORMATS);
}

/** `hdrscope explain` */
export async function run({ options, operands: [folder = ''] }: Arguments<Options>, io: Io): Promise<number> {
  const { metric, before, after, percentile, where, top } = options;
  const format = formatOf(options, FORMATS) ?? 'text';
  if (metric === undefined || metric === '')
    throw new UsageError('--metric is required: the name of a metric');
  if (before === undefined)
    throw new UsageError('--before is required: a range, as in 2026-03-10T14:00/15:10');
  if (after === undefined) throw new UsageError('--after is required: a range, as in 2026-03-10T15:10/15:18');
  assertApart(before, after);
  return withOutput(options.output, io, async (out) => {
    const question = { metric, before, after, percentile, where };
    const explanation = await withEngine(folder, () => explainHistory(folder, question));
    const text =
      format === 'json'
        ? explanationJson(explanation, question)
        : explanationText(explanation, question, top, out);
    await out.stdout.write(text);
    return ExitCode.done;
  });
}

/** @throws UsageError */
function parsePercentile(text: string): number {
  const digits = text.replace(/^p/, '');
  if (isDecimal(digits) && Number(digits) > 0 && Number(digits) < 100) return Number(digits);
  throw wrongOption('--percentile', 'a number above 0 and below 100, as in 99.9', text);
}
