import { formatHistogramDump, parseHistogramLoggers } from '@hdrscope/ceph';
import type { Command } from 'commander';
import { type Arguments, createParser } from '../arguments.ts';
import { ExitCode, type Io, UsageError } from '../command.ts';
import { addFormat, addOutput, formatOf, type OutputOptions, withOutput } from '../output-options.ts';
import { percentilesOption } from '../shared-options.ts';
import { dumpJson, dumpText, histogramFacts } from './dump-text.ts';
import {
  addHistogramOptions,
  askDump,
  assertSome,
  type HistogramOptions,
  haveSeveralSources,
  noteWriter,
  parseOptions,
  readHistograms,
  titleOf,
  withInputName,
} from './histograms.ts';
import { type CephInput, openInputs } from './input.ts';
import { applyWhere, type WhereCondition, whereOption } from './where.ts';

const FORMATS = ['text', 'json', 'raw'] as const;

interface Options extends HistogramOptions, OutputOptions<(typeof FORMATS)[number]> {
  readonly percentiles: readonly number[];
  readonly where: readonly WhereCondition[];
}

const DESCRIPTION = `Prints the counts of daemons: the percentiles and the mean of every axis of a histogram.

Each is printed as two bounds between which it certainly lies, the second exclusive: a slot of Ceph spans
an octave, so the exact value is not known. The means of an OSD's own socket are exact, from the sums of its
perf dump; --json says by sumSource what each sum is known from.`;

/** The arguments of `hdrscope ceph dump`. */
export function parser(): Command {
  const command = createParser('hdrscope ceph dump', DESCRIPTION, [
    'hdrscope ceph dump /var/run/ceph/ceph-osd.0.asok',
    "hdrscope ceph dump dump.json --counter op_w_latency_in_bytes_histogram --where 'size=4KiB..8KiB'",
    'ceph tell osd.* perf histogram dump | hdrscope ceph dump --json -',
  ]).argument('<socket|file...>', 'admin sockets of daemons, folders of sockets, and files with answers');
  addFormat(addOutput(command), FORMATS, 'raw is the dump as the daemon writes it');
  return addHistogramOptions(command).addOption(whereOption()).addOption(percentilesOption());
}

/** `hdrscope ceph dump` */
export async function run(given: Arguments<Options>, io: Io): Promise<number> {
  return withOutput(given.options.output, io, (out) => dump(given, out));
}

async function dump({ options, operands }: Arguments<Options>, io: Io): Promise<number> {
  const format = formatOf(options, FORMATS) ?? 'text';
  const inputs = await openInputs(operands, io);
  if (format === 'raw') {
    await printRaw(inputs, options, io);
    return ExitCode.done;
  }
  const histograms = (await Promise.all(inputs.map((input) => readHistograms(input, options)))).flat();
  assertSome(histograms, inputs, options);
  const selected = await applyWhere(histograms, options.where, io);
  await noteWriter(io)(selected.map(({ one }) => one));
  const all = selected.map((each) => histogramFacts(each, options.percentiles));
  for (const { one } of all.filter(({ facts }) => facts.some(({ count }) => count === undefined))) {
    const title = titleOf(one, haveSeveralSources(histograms));
    await io.stderr.write(`hdrscope: ${title} has no percentiles: they need at most 2^53 - 1 values\n`);
  }
  await io.stdout.write(
    format === 'json' ? dumpJson(all, options.percentiles) : dumpText(all, options.percentiles, io),
  );
  return ExitCode.done;
}

/** Prints dumps. The name of the daemon precedes each of several dumps, as in the output of `ceph tell`. */
async function printRaw(inputs: readonly CephInput[], options: Options, io: Io): Promise<void> {
  if (options.where.length > 0) {
    throw new UsageError('--raw prints the dump of the daemon: it cannot be combined with --where');
  }
  const dumps = await Promise.all(
    inputs.map(async (input) => {
      const text = await askDump(input, options);
      const imported = withInputName(input, () => parseHistogramLoggers(text, parseOptions(options)));
      return imported.map(({ daemon, loggers }) => ({ daemon: daemon ?? input.name, loggers }));
    }),
  );
  const all = dumps.flat();
  for (const { daemon, loggers } of all) {
    const counters = loggers.flatMap((logger) => logger.counters);
    const isNext = counters.some(
      ({ histogram, sums }) => sums !== undefined || histogram.axes.some(({ scale }) => scale === 'explicit'),
    );
    const dump = formatHistogramDump(loggers, { release: isNext ? 'next' : 'tentacle' });
    await io.stdout.write(all.length > 1 ? `${daemon}: ${dump}` : dump);
  }
}
