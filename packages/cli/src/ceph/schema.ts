import { type ImportedDescription, parseHistogramSchema } from '@hdrscope/ceph';
import type { Command } from 'commander';
import { type Arguments, createParser } from '../arguments.ts';
import { painter } from '../colour.ts';
import { ExitCode, type Io } from '../command.ts';
import { formatTable } from '../table.ts';
import { withInputName } from './histograms.ts';
import { openInputs } from './input.ts';

interface Described extends ImportedDescription {
  readonly source: string;
}

interface Options {
  readonly json?: boolean;
}

const DESCRIPTION = `Lists the histograms of daemons, and what they count.

A file holds the output of perf histogram schema. A schema does not have the axes; dump prints them.`;

/** The arguments of `hdrscope ceph schema`. */
export function parser(): Command {
  return createParser('hdrscope ceph schema', DESCRIPTION, [
    'hdrscope ceph schema /var/run/ceph/ceph-osd.0.asok',
    'hdrscope ceph schema --json schema.json',
  ])
    .argument('<socket|file...>', 'admin sockets of daemons, folders of sockets, and files with answers')
    .option('--json', 'prints JSON');
}

/** `hdrscope ceph schema` */
export async function run({ options, operands }: Arguments<Options>, io: Io): Promise<number> {
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
  if (options.json) {
    const shown = all.map(({ source, daemon, ...one }) => ({ source, ...nullsFor(one) }));
    await io.stdout.write(`${JSON.stringify(shown, undefined, 2)}\n`);
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
    { title: 'type' },
    { title: 'priority' },
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
  const [head = '', ...lines] = formatTable(columns, rows);
  await io.stdout.write(`${[painter(io, io.stdout)('bold', head), ...lines].join('\n')}\n`);
  return ExitCode.done;
}

function nullsFor(one: object): object {
  return Object.fromEntries(Object.entries(one).map(([key, value]) => [key, value ?? null]));
}
