import { DoubleHistogram } from '@hdrscope/core';
import { barsOfHistogram, type Plot, type SloLine } from '@hdrscope/plot';
import type { CountedUnit } from '@hdrscope/registry';
import { Option } from 'commander';
import { createParser, readArguments, wrongOption } from '../arguments.ts';
import { ExitCode, type Io, Refusal } from '../command.ts';
import { parseConfidence } from '../log/comparing.ts';
import { type TextUnit, textUnitOption } from '../log/percentile-input.ts';
import { addSelection, type SelectingOptions } from '../log/selecting.ts';
import { percentilesOption } from '../log/shown-options.ts';
import { readComparison } from './comparison.ts';
import { readCurves, readSum } from './curves.ts';
import { type DrawingOptions, formatOf, parseFormat, writePlots } from './drawing.ts';
import { type HistogramInput, type LogInput, openPlotInputs, type PlotInput } from './inputs.ts';
import { readHeatMap, readOverTime } from './intervals.ts';
import { plotsOfJson } from './json-input.ts';
import { type Reading, startReading } from './reading.ts';
import { parseSlo } from './slo.ts';
import { parseCountedUnit } from './units.ts';
import { assertFits, assertKind, dressed, isEmpty, type Wishes } from './wishes.ts';

const KINDS: readonly Plot['kind'][] = ['percentiles', 'comparison', 'over-time', 'heat-map', 'bars'];

interface Options extends SelectingOptions, DrawingOptions, Wishes {
  readonly kind?: Plot['kind'];
  readonly confidence?: number;
  readonly percentiles: readonly number[];
  readonly unit?: CountedUnit;
  readonly textUnit?: TextUnit;
  readonly counter?: string;
  readonly json?: boolean;
}

const DESCRIPTION = `Draws histograms: on the terminal, or as a picture where -o tells a file.

What a file is, is seen by its content: an interval log, percentile text (.hgrm, its CSV, wrk2
--latency), histograms in Base64, a dump of Ceph, what hdrscope ebpf read --json or this command with
--json has printed; all of them plain or gzipped.

  percentiles  a curve for each file, and for each tag of a log with several, by 1/(1 - percentile)
  comparison   two files before and after a change: both curves, and by how much percentiles differ
  over-time    percentiles of each interval of logs; of all logs and tags together
  heat-map     when which values were counted, of all logs and tags together; both axes of a dump
  bars         how often which values were counted`;

/** `hdrscope plot` */
export async function run(args: readonly string[], io: Io): Promise<number> {
  const parser = createParser('hdrscope plot', DESCRIPTION, [
    'hdrscope plot service.hlog --slo p99.9=50ms',
    'hdrscope plot before.hgrm after.hgrm wrk2.txt -o latency.svg',
    'hdrscope plot --kind comparison before.hlog after.hlog -o change.html',
    'hdrscope plot --kind heat-map --tag get --from 10m service.hlog.gz -o get.png',
    'hdrscope ebpf read /sys/fs/bpf/queue_hist --json | hdrscope plot -',
  ])
    .argument('<file...>', 'what is drawn; - is standard input')
    .option('-o, --output <file>', 'where to write; the file is there when it is whole')
    .addOption(
      new Option(
        '--format <format>',
        "text, svg, png, html or json (default: by the file's ending)",
      ).argParser(parseFormat),
    )
    .addOption(new Option('--kind <kind>', 'what is drawn (default: what suits the files)').choices(KINDS))
    .addOption(
      new Option('--slo <promise>', 'a line at what was promised, as in p99.9=50ms; may be repeated')
        .argParser((text, others: string[] = []) => [...others, text])
        .default([], 'none'),
    )
    .option(
      '--confidence <part>',
      'draws confidence intervals, as in 0.95; of a comparison 0.99',
      parseConfidence,
    )
    .addOption(percentilesOption('of comparison and over-time: '))
    .addOption(
      new Option(
        '--unit <unit>',
        'what was counted: ns, us, ms, s, bytes, KiB or none (default: ns; of the kernel none)',
      ).argParser(parseCountedUnit),
    )
    .addOption(textUnitOption())
    .option('--counter <name>', 'of a dump of Ceph: which counter')
    .option('--log', 'a logarithmic axis of values')
    .option('--title <text>', 'what stands above')
    .option('--width <number>', 'in pixels; of text in characters', sizeParser('--width'))
    .option('--height <number>', 'in pixels; of text in lines', sizeParser('--height'))
    .addOption(new Option('--theme <theme>', 'of svg and png').choices(['light', 'dark']))
    .option('--ascii', 'text of ASCII alone')
    .option('--json', 'the same as --format json: the data of the plot');
  const selectionOf = addSelection(parser);
  const given = await readArguments<Options>(parser, args, io);
  if (given === undefined) return ExitCode.done;
  const { options, operands } = given;
  const format = options.json ? 'json' : formatOf(options);
  const unit = options.unit ?? 'ns';
  const slos = options.slo.map((text) => parseSlo(text, unit));

  const { inputs, totalBytes } = await openPlotInputs(operands, io);
  const selection = selectionOf(options);
  const reading = startReading({ unit, textUnit: options.textUnit, selection }, totalBytes, io);
  const plots = await readPlots(inputs, reading, options, slos, io).finally(reading.finish);
  const [first, ...others] = plots;
  if (first === undefined || plots.every(isEmpty)) {
    await reading.malformed.report(io);
    throw new Refusal('there is nothing to draw: nothing was counted, or nothing of it is selected');
  }
  await writePlots([first, ...others], format, options, io);
  return reading.malformed.report(io);
}

async function readPlots(
  inputs: readonly PlotInput[],
  reading: Reading,
  options: Options,
  slos: readonly SloLine[],
  io: Io,
): Promise<Plot[]> {
  const values = inputs.filter((input) => input.kind !== 'json');
  const plots: Plot[] = values.length === 0 ? [] : await plotsOfValues(values, reading, options, io);
  const { unit, counter } = options;
  for (const input of inputs) {
    if (input.kind !== 'json') continue;
    for (const plot of await plotsOfJson(input, { unit, counter }, io)) {
      assertKind(plot, options.kind, input.path);
      plots.push(plot);
    }
  }
  assertFits(plots, options);
  return plots.map((plot) => dressed(plot, options, slos));
}

async function plotsOfValues(
  inputs: readonly (LogInput | HistogramInput)[],
  reading: Reading,
  { kind = 'percentiles', confidence, percentiles }: Options,
  io: Io,
): Promise<Plot[]> {
  const { unit } = reading;
  switch (kind) {
    case 'percentiles':
      return [{ kind, unit, curves: await readCurves(inputs, reading, { confidence }, io) }];
    case 'comparison':
      return [await readComparison(inputs, reading, { percentiles, confidence: confidence ?? 0.99 }, io)];
    case 'over-time':
      return [await readOverTime(inputs, reading, percentiles)];
    case 'heat-map':
      return [await readHeatMap(inputs, reading)];
    case 'bars': {
      const plots: Plot[] = [];
      for (const input of inputs) {
        const histogram = await readSum(input, reading);
        if (histogram instanceof DoubleHistogram) {
          throw new Refusal(`${input.path} has doubles, of which no bars can be made`);
        }
        if (histogram !== undefined) plots.push(barsOfHistogram(histogram, { unit, title: input.name }));
      }
      return plots;
    }
  }
}

function sizeParser(name: string): (text: string) => number {
  return (text) => {
    if (!/^[1-9]\d*$/.test(text)) throw wrongOption(name, 'an integer of at least 1', text);
    return Number(text);
  };
}
