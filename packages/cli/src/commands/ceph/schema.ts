import { type ImportedDescription, parseHistogramSchema } from '@hdrscope/ceph';
import { withName } from '@hdrscope/inputs/internal';
import { ExitCode, type Io } from '../../command.ts';
import { defineCommand } from '../../define-command.ts';
import { jsonDocument } from '../../figures.ts';
import { shownTable } from '../../screen/table.ts';
import { CEPH_INPUTS, openInputs, writeNotes } from './histograms.ts';

const DESCRIPTION = `Lists the histograms of daemons, and what they count.

A file holds the output of perf histogram schema. A schema does not have the axes; dump prints them.`;

export const command = defineCommand({
  path: 'hdrscope ceph schema',
  description: DESCRIPTION,
  examples: ['hdrscope ceph schema /var/run/ceph/ceph-osd.0.asok', 'hdrscope ceph schema --json schema.json'],
  operands: CEPH_INPUTS,
  formats: ['text', 'json'],
  output: 'when done',
  async run({ operands, format }, io) {
    const inputs = await openInputs(operands, io);
    const described = await Promise.all(
      inputs.map(async (input) => {
        const text = await input.ask('perf histogram schema', {});
        const read = await withName(input.name, () => parseHistogramSchema(text));
        await writeNotes(input, read[0]?.notes, io);
        return read.map((one) => ({ ...one, source: one.daemon ?? input.name }));
      }),
    );
    const all = described.flat();
    if (format === 'json') {
      const shown = all.map(({ source, daemon, notes: _, ...one }) => ({ source, ...nullsFor(one) }));
      await io.stdout.write(jsonDocument(shown));
    } else if (all.length === 0) {
      await io.stderr.write("hdrscope: there are no histograms; among Ceph's daemons, OSDs have some\n");
    } else {
      await io.stdout.write(`${schemaTable(all, io).join('\n')}\n`);
    }
    return ExitCode.done;
  },
});

function schemaTable(all: readonly (ImportedDescription & { readonly source: string })[], io: Io): string[] {
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
  return shownTable(columns, rows, io);
}

function nullsFor(one: object): object {
  return Object.fromEntries(Object.entries(one).map(([key, value]) => [key, value ?? null]));
}
