import { isSketch, numberUnit, type SketchForm } from '@hdrscope/inputs/internal';
import { between } from '../../arguments.ts';
import { Refusal } from '../../command.ts';
import { defineCommand } from '../../define-command.ts';
import { READ_FORMS } from '../../inputs/forms.ts';
import type { Input } from '../../inputs/input.ts';
import { LineTally } from '../../inputs/line-tally.ts';
import { countInputs, NUMBER_PLACE, unitOfInputs, vanishedText } from '../../inputs/numbers.ts';
import { openInputs } from '../../inputs/open-inputs.ts';
import { integer, percentilesOption, unitOption } from '../../options.ts';
import { writeLines } from '../../output-options.ts';
import { assertNotFollowed, FOLLOW_OPTIONS, followRequests } from './follow.ts';
import { INTERVAL_OPTIONS, recordIntervals } from './intervals.ts';
import { assertUngrouped, REQUEST_OPTIONS, type RecordKind, recordLoad, TAKEN } from './load.ts';
import { OUTPUT_FORMATS, outputFormats, type Recorded } from './outputs.ts';

const DESCRIPTION = `Counts numbers, one per line, and prints their distribution.

A number is a decimal of at least 0, such as 12, 0.75 or 1.5e-3, in --unit; or it has its unit, as in 12ms,
1.5s or 4KiB. Blanks around it, empty lines and lines that begin with # are ignored. Any other line is left
out, reported on standard error, and makes the exit code 1. --field reads JSON, --column reads CSV.

Each number is counted at the nearest multiple of --resolution, and keeps --digits significant
digits. As in all HDR histograms, a printed value is the upper end of its slot: with 3 digits at
most 0.1 % above the number.

hgrm and csv are percentile text, json is for programs, base64 is the histogram in the V2 encoding,
hlog is a log of one interval. The last two count in multiples of --resolution: with --unit ms in
nanoseconds, as most logs do.

The output of a load test that has every request, and an access log, need no --unit. --by groups their requests by a
label, such as a column of a table, a tag of k6 or the name in Gatling. An access log of nginx, Apache, Envoy, Caddy
or Traefik has the labels route, method, status, upstream and the variables of its format, which --log-format states
when it is none of the usual ones. --every shows the requests of each interval of time, or writes an interval log of
them, which log summary, plot, serve and explain take. What fio (json+, log_hist_msec) and Locust (--json) have
counted, and the sketches of DDSketch, Elasticsearch, Envoy, VictoriaMetrics and Prometheus, are shown by all labels,
within the bounds of their slots.`;

export const command = defineCommand({
  path: 'hdrscope record',
  description: DESCRIPTION,
  examples: [
    'hdrscope record --unit ms latencies.txt',
    'cat latencies.txt | hdrscope record --unit us --percentiles 50,99,99.9',
    'hdrscope record --unit ms --json latencies.txt.gz',
    'hdrscope record --unit s --column duration requests.csv',
    'hdrscope record --unit ms --field response.ms requests.jsonl',
    'hdrscope record --unit ms --expected-interval 10 latencies.txt -o latencies.hlog',
    'hdrscope record access.log --by route --percentiles 50,99,99.9',
    'hdrscope record access.log --by route --every 1m -o access.hlog',
    'hdrscope record -f access.log --by route --interval 5s',
    'hdrscope record fio.json --by op',
  ],
  operands: {
    '[files...]': {
      help: 'texts with numbers, plain or gzipped, counted together; - is standard input',
      fallback: '-',
    },
  },
  options: {
    unit: unitOption('the unit of numbers that have none', 'none'),
    ...NUMBER_PLACE,
    digits: {
      value: '<number>',
      help: 'significant digits that are kept, 0 to 5',
      parse: integer(0, 5),
      default: 3,
    },
    resolution: {
      value: '<step>',
      help: 'the step between two values that are kept apart, in the unit',
      allowed: 'a number above 0, as in 0.001 or 1e-6',
      parse: readStep,
      fallback:
        'a nanosecond, a byte, or 0.001; without a unit finer, when the first numbers have more decimals',
    },
    percentiles: percentilesOption(),
    expectedInterval: {
      value: '<number>',
      help: 'corrects coordinated omission: the time between two requests when nothing is slow, in the unit',
      allowed: 'a number above 0, in the unit of the values',
      parse: between(0, Number.POSITIVE_INFINITY),
    },
    ...REQUEST_OPTIONS,
    ...INTERVAL_OPTIONS,
    ...FOLLOW_OPTIONS,
    from: {
      value: '<form>',
      help: 'the form of a sketch that does not state it, such as ddsketch-js: see hdrscope convert --help',
      choices: READ_FORMS,
      fallback: 'by its content',
    },
    noPlot: { help: 'for text: prints no plot below the numbers', default: true },
  },
  formats: OUTPUT_FORMATS,
  output: 'by command',
  async run({ options, operands, format }, io) {
    const paths = operands.length === 0 ? ['-'] : operands;
    const { column, skip, expectedInterval, digits, logFormat, from } = options;
    // With --column or --skip, the text may begin with anything.
    const isNumbers = logFormat === undefined && (column !== undefined || skip !== undefined);
    const as = isNumbers || from !== undefined ? 'numbers' : undefined;
    const opened = await openInputs<RecordKind>(
      paths,
      { takes: TAKEN, otherwise: 'numbers', as, logFormat, numbers: options, command: 'hdrscope record' },
      io,
    );
    if (options.every !== undefined)
      return recordIntervals(opened, { ...options, every: options.every, format }, io);
    if (options.follow === true) return followRequests(opened.inputs, paths, { ...options, format }, io);
    assertNotFollowed(options);
    if (from !== undefined || opened.inputs.every(({ kind }) => isSketch(kind))) {
      const { recordSketches } = await import('./sketches.ts');
      return recordSketches(
        { ...opened, inputs: opened.inputs as readonly Input<SketchForm>[] },
        { ...options, format },
        io,
      );
    }
    if (opened.inputs.some(({ kind }) => kind !== 'numbers'))
      return recordLoad(opened, { ...options, format }, io);
    assertUngrouped(options);
    const inputs = opened.inputs as readonly Input<'numbers'>[];
    const { takesBare, ...found } = unitOfInputs(inputs, options.unit, options);
    const unit = numberUnit(found.unit, options.resolution ?? found.step);
    const { onBytes, finish } = opened.progress;
    const badLines = new LineTally();
    const counted = await countInputs(inputs, {
      unit,
      significantDigits: digits,
      expectedInterval,
      numbers: options,
      takesBare,
      onBytes,
      onBadLine: badLines.add,
    }).finally(finish);
    const exitCode = await badLines.report(io);
    const name = inputs.map((input) => input.name).join(', ');
    if (counted.histogram.totalCount === 0) throw new Refusal(`${name} has no numbers to count`);
    if (counted.vanished > 0) await io.stderr.write(`hdrscope: ${vanishedText(counted.vanished, unit)}\n`);
    const recorded: Recorded = { ...counted, unit, digits, name, percentiles: options.percentiles };
    await writeLines(outputFormats[format](recorded, options, io), options.output, io);
    return exitCode;
  },
});

function readStep(text: string): number | undefined {
  const step = /^\d+(\.\d+)?(e-?\d+)?$/.test(text) ? Number(text) : Number.NaN;
  return step > 0 && Number.isFinite(step) && Number.isFinite(1 / step) ? step : undefined;
}
