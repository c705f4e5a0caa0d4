import { type ImportedDescription, parseHistogramSchema } from '@hdrscope/ceph';
import type { Command } from 'commander';
import { type Arguments, createParser } from '../../arguments.ts';
import { ExitCode, type Io } from '../../command.ts';
import { jsonDocument } from '../../figures.ts';
import { addFormat, addOutput, formatOf, type OutputOptions, withOutput } from '../../output-options.ts';
import { shownTable } from '../../table.ts';
import { openInputs, withInputName } from './histograms.ts';

interface Described extends ImportedDescription {
  readonly source: string;
}

const FORMATS = ['text', 'json'] as const;

type Options = OutputOptions<(typeof FORMATS)[number]>;

const DESCRIPTION = `Lists the histograms of daemons, and what they count.

A file holds the output of perf histogram schema. A schema does not have the axes; dump prints them.`;

/** The arguments of `hdrscope ceph schema`. */
export function parser(): Command {
  const command = createParser('hdrscope ceph schema', DESCRIPTION, [
    'hdrscope ceph schema /var/run/ceph/ceph-osd.0.asok',
    'hdrscope ceph schema --json schema.json',
  ]).argument('<socket|file...>', 'admin sockets of daemons, folders of sockets, and files with answers');
  return addFormat(addOutput(command), FORMATS);
}

/** `hdrscope ceph schema` */
export async function run(given: Arguments<Options>, io: Io): Promise<number> {
  return withOutput(given.options.output, io, (out) => list(given, out));
}

async function list({ options, operands }: Arguments<Options>, io: Io): Promise<number> {
  const inputs = await openInputs(operands, io);
  const described = await Promise.all(
    inputs.map(async (input) => {
      const text = await input.ask('perf histogram schema', {});
      return withInputName(input, () => parseHistogramSchema(text)).map(
        (one): Described => ({ ...one, source: one.daemon ?? input.name }),
      );
    }),
  );
  const all = described.flat();
  if (formatOf(options, FORMATS) === 'json') {
    const shown = all.map(({ source, daemon, ...one }) => ({ source, ...nullsFor(one) }));
    await io.stdout.write(jsonDocument(shown));
    return ExitCode.done;
  }
  if (all.length === 0) {
    await io.stderr.write("hdrscope: there are no histograms; among Ceph's daemons, OSDs have some\n");
    return ExitCode.done;
  }
  const hasSource = new Set(all.map(({ source }) => source)).size > 1;
  const columns = [
    ...(hasSource ? [{ title: 'daemon', isText: true }] : []),
    { title: 'logger', isText: true },
    { title: 'counter', isText: true },
    { title: 'type', spare: 2 },
    { title: 'priority', spare: 1 },
    { title: 'what it counts', isText: true },
  ];
  const rows = all.map(({ source, logger, counter, type, priority, description }) => [
    ...(hasSource ? [source] : []),
    logger,
    counter,
    String(type),
    priority === undefined ? '-' : String(priority),
    description || '-',
  ]);
  await io.stdout.write(`${shownTable(columns, rows, io).join('\n')}\n`);
  return ExitCode.done;
}

function nullsFor(one: object): object {
  return Object.fromEntries(Object.entries(one).map(([key, value]) => [key, value ?? null]));
}
