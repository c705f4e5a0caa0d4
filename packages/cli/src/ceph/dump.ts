import { formatHistogramDump, parseHistogramLoggers } from '@hdrscope/ceph';
import { createParser, readArguments } from '../arguments.ts';
import { painter } from '../colour.ts';
import { ExitCode, type Io, UsageError } from '../command.ts';
import { percentilesOption } from '../shared-options.ts';
import { dumpJson, dumpText, whatIsKnown } from './dump-text.ts';
import {
  addHistogramOptions,
  askDump,
  assertSome,
  explained,
  type HistogramOptions,
  haveSeveralSources,
  noteWriter,
  parseOptions,
  readHistograms,
  titleOf,
} from './histograms.ts';
import { type CephInput, openInputs } from './input.ts';
import { applyWhere, type Where, whereOption } from './where.ts';

interface Options extends HistogramOptions {
  readonly json?: boolean;
  readonly raw?: boolean;
  readonly percentiles: readonly number[];
  readonly where: readonly Where[];
}

const DESCRIPTION = `What daemons have counted: for every axis of a histogram its percentiles and its mean.

All are told as the values between which they certainly lie, from the first to before the second: a slot
of Ceph's spans an octave, and more is not known.`;

/** `hdrscope ceph dump` */
export async function run(args: readonly string[], io: Io): Promise<number> {
  const parser = createParser('hdrscope ceph dump', DESCRIPTION, [
    'hdrscope ceph dump /var/run/ceph/ceph-osd.0.asok',
    "hdrscope ceph dump dump.json --counter op_w_latency_in_bytes_histogram --where 'size=4KiB..8KiB'",
    'ceph tell osd.* perf histogram dump | hdrscope ceph dump --json -',
  ])
    .argument('<socket|file...>', 'admin sockets of daemons, and files of what they have answered')
    .option('--json', 'prints JSON')
    .option('--raw', 'prints what the daemon dumps, as it does');
  addHistogramOptions(parser).addOption(whereOption()).addOption(percentilesOption());
  const given = await readArguments<Options>(parser, args, io);
  if (given === undefined) return ExitCode.done;
  const { options, operands } = given;
  const inputs = await openInputs(operands, io);
  if (options.raw) {
    await printRaw(inputs, options, io);
    return ExitCode.done;
  }
  const histograms = (await Promise.all(inputs.map((input) => readHistograms(input, options)))).flat();
  assertSome(histograms, inputs);
  const conditioned = await applyWhere(histograms, options.where, io);
  await noteWriter(io)(conditioned.map(({ one }) => one));
  const all = conditioned.map((each) => whatIsKnown(each, options.percentiles));
  for (const { one } of all.filter(({ facts }) => facts.some(({ count }) => count === undefined))) {
    const title = titleOf(one, haveSeveralSources(histograms));
    await io.stderr.write(
      `hdrscope: ${title} has more counts than percentiles can be told of exactly: 2^53 - 1\n`,
    );
  }
  await io.stdout.write(
    options.json
      ? dumpJson(all, options.percentiles)
      : dumpText(all, options.percentiles, painter(io, io.stdout)),
  );
  return ExitCode.done;
}

/** Dumps of several daemons are told apart as `ceph tell` does it. */
async function printRaw(inputs: readonly CephInput[], options: Options, io: Io): Promise<void> {
  if (options.json || options.where.length > 0) {
    throw new UsageError('--raw prints what the daemon dumps: it goes with neither --json nor --where');
  }
  const dumps = await Promise.all(
    inputs.map(async (input) => {
      const text = await askDump(input, options);
      const imported = explained(input, () => parseHistogramLoggers(text, parseOptions(options)));
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
