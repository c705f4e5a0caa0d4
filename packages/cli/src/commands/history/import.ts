import { HdrscopeError } from '@hdrscope/core';
import {
  type ImportedLog,
  type ImportedOtlp,
  importLog,
  importOtlp,
  type OtlpFile,
} from '@hdrscope/inputs/history';
import {
  type ImportLogOptions,
  type ImportOtlpOptions,
  recogniseOtlpFile,
  UNNAMED,
} from '@hdrscope/inputs/internal';
import { readUnzipped } from '@hdrscope/interval-log/internal';
import { formatCount, formatTime, valuesText } from '@hdrscope/kit';
import { ExitCode, Refusal, UsageError } from '../../command.ts';
import { defineCommand } from '../../define-command.ts';
import { nameOf } from '../../inputs/input.ts';
import { DOUBLES, leftOutText, MalformedTally, UNDECODABLE } from '../../inputs/line-tally.ts';
import { PART_OF_DAY } from '../../moment.ts';
import { parsePair, UNIT } from '../../options.ts';
import { lookAtPath, systemErrorText } from '../../system-error.ts';
import { openLogs } from '../log/input.ts';

const DESCRIPTION = `Adds interval logs and files of OTLP to a history: a row for each series and stretch of time, in Parquet files by day.

Logs that hdrscope wrote say which metrics they have. In others, a tag such as get is the attribute "tag" of the metric that
--metric names, and a tag such as rpc?method="get" is that of the metric rpc. All digits of a log are kept.

A log is known by its bytes and its place: importing it again adds nothing, and importing it when it has grown adds what
is new, also when rotation has renamed or compressed it. The same bytes in another place may be the log of another host.
The command refuses them, unless --host or --attribute says that they are another log. Standard input has no place, so
give --host with it. Parts of a log, as log slice and log merge write them, are other logs.

A file of OTLP has metrics as the file exporter of the OpenTelemetry Collector writes them: lines of JSON, or protobuf; it
is known as a log is. All its histograms are imported, exponential and explicit, delta and cumulative. A bucket
counts at its middle, so percentiles are as exact as the buckets. Give files that follow each other in one command, the
oldest first: the first point of a cumulative stream has counts from before the file.`;

export const command = defineCommand({
  path: 'hdrscope history import',
  description: DESCRIPTION,
  examples: [
    'hdrscope history import service.hlog -o history',
    'hdrscope history import 2026-*.hlog.gz -o history --host a7',
    'hdrscope history import metrics-1.json metrics-2.json.gz -o history',
    'hdrscope history import ycsb.hlog -o history --unit us --metric ycsb.duration --every 10s',
  ],
  operands: { '<file...>': 'logs and files of OTLP, plain or gzipped; - is a log on standard input' },
  options: {
    output: {
      short: '-o',
      value: '<folder>',
      help: 'the folder of the history, which is made if it does not exist',
      required: 'the folder of the history',
    },
    unit: { ...UNIT, help: 'the unit of values in logs that do not state it', default: 'ns' },
    metric: { value: '<name>', help: 'the name of values in logs that do not state it', default: UNNAMED },
    every: { ...PART_OF_DAY, default: 60_000, fallback: '1m' },
    host: {
      value: '<name>',
      help: 'the host that the files are from: the attribute host of all series',
      fallback: 'no attribute, and files are those of this machine',
    },
    attribute: {
      value: '<pair>',
      help: 'key=value: an attribute of all series; may be repeated',
      parse: parsePair,
      default: {},
      fallback: 'none',
    },
  },
  async run({ options, operands }, io) {
    const { output: folder, unit, metric, every: everyMs, attribute, host } = options;
    if (host !== undefined && attribute.host !== undefined && attribute.host !== host) {
      throw new UsageError('--host and --attribute host must be the same');
    }
    const attributes = host === undefined ? attribute : { ...attribute, host };
    if ((await lookAtPath(folder))?.isDirectory() === false) {
      throw new Refusal(`${folder} is a file, and a folder is needed`);
    }
    const encodings = await Promise.all(
      operands.map((path) => (path === '-' ? undefined : recogniseOtlpFile(path))),
    );
    const logs = operands.filter((_, at) => encodings[at] === undefined);
    const others = operands.filter((_, at) => encodings[at] !== undefined);
    const { sources, onBytes, finish, note } = await openLogs(logs, io, true, { others });
    const otlp = operands.flatMap((path, at): OtlpFile[] => {
      const encoding = encodings[at];
      return encoding === undefined ? [] : [{ name: path, bytes: openOtlp(path, onBytes), encoding, path }];
    });
    const malformed = new MalformedTally();
    let exitCode: number = ExitCode.done;
    const lines: string[] = [];
    const report = async (name: string, imported: ImportedRows, notes: ImportNotes): Promise<void> => {
      if (notes.missing.length > 0) exitCode = ExitCode.refused;
      for (const text of [...notes.missing, ...notes.remarks]) await note(`${name}: ${text}`);
      lines.push(`${name}: ${importedText(imported)}\n`);
    };
    const shared = { everyMs, attributes };
    try {
      for (const source of sources) {
        const name = nameOf(source);
        const onMalformed: ImportLogOptions['onMalformed'] = (line) => malformed.add(line, source);
        const reading = { ...shared, name, unit, metric, onBytes, onMalformed };
        const log = await explainRefusal(name, folder, importLog(source, folder, reading));
        await report(name, log.imported, notesOnLog(log));
      }
      const reading = {
        ...shared,
        onMalformed: (line, { name }) => malformed.add(line, name),
      } satisfies ImportOtlpOptions;
      const imports = importOtlp(otlp, folder, reading);
      for (const { name } of otlp) {
        const { value } = await explainRefusal(name, folder, imports.next());
        if (value) await report(name, value.imported, notesOnOtlp(value.losses));
      }
    } finally {
      finish();
      if (lines.length > 0) await io.stdout.write(lines.join(''));
    }
    return Math.max(exitCode, await malformed.report(io));
  },
});

type ImportedRows = ImportedLog['imported'];

/** Explains why an import was refused, by the options of the command. */
async function explainRefusal<T>(name: string, folder: string, importing: Promise<T>): Promise<T> {
  return importing.catch((error: unknown) => {
    if (!(error instanceof HdrscopeError) || error.code !== 'ERR_ALREADY_REGISTERED') throw error;
    const { reason, earlier } = error.details;
    const texts: Readonly<Record<string, string>> = {
      options: `${name} is in ${folder} already, imported with another --every, --unit, --metric or --attribute: import it with the same, or into another folder`,
      elsewhere: `${name} begins with all that was imported from ${earlier}: import the same log from there, or the log of another host with --host NAME`,
      shorter: `${name} begins as ${earlier} does, of which more was imported: import the whole log, or the log of another host with --host NAME`,
    };
    throw new Refusal(texts[String(reason)] ?? error.message, { cause: error });
  });
}

function importedText({ rows, knownRows, firstMs, lastMs }: ImportedRows): string {
  const count = (number: number): string => `${formatCount(number)} ${number === 1 ? 'row' : 'rows'}`;
  if (rows === 0) return knownRows === 0 ? 'there are no values' : `${count(knownRows)}, all there already`;
  const [from, to] = [firstMs, lastMs].map((timeMs) => formatTime(timeMs! / 1000));
  const known = knownRows === 0 ? '' : `; ${count(knownRows)} there already`;
  return `${count(rows)}, ${from} to ${to}${known}`;
}

// What was left out.

/** What a person may not expect of an import, in sentences. */
interface ImportNotes {
  /** What was left out although it belongs in a history. */
  readonly missing: readonly string[];
  /** All else. */
  readonly remarks: readonly string[];
}

function notesOnLog({ leftOut, undecodable }: ImportedLog): ImportNotes {
  const losses = [leftOutText(leftOut, DOUBLES), leftOutText(undecodable, UNDECODABLE)];
  return { missing: losses.filter((text) => text !== undefined), remarks: [] };
}

function notesOnOtlp(losses: ImportedOtlp['losses']): ImportNotes {
  const { refused, reasons, timeless, rejected, before, others, open, late } = losses;
  const missing = [
    refused > 0 && `${leftOutText(refused, POINTS)}, the first of them because ${reasons}`,
    leftOutText(timeless, TIMELESS),
    leftOutText(rejected, REJECTED),
    before > 0 &&
      `${valuesText(before)} from before the file ${isOrAre(before)} left out; files that follow each other are imported by one command, the oldest first`,
  ];
  const remarks = [
    leftOutText(others, OTHERS),
    open > 0 &&
      `${valuesText(open)} ${isOrAre(open)} in buckets without an upper bound, so percentiles there have no upper bound`,
    late > 0 && `${valuesText(late)} came more than an hour late: they count in a later stretch of time`,
  ];
  const isText = (text: string | false | undefined): text is string => typeof text === 'string';
  return { missing: missing.filter(isText), remarks: remarks.filter(isText) };
}

const POINTS = ['point', 'points'] as const;
const TIMELESS = ['point without a time', 'points without a time'] as const;
const REJECTED = ['value below 0 or too large', 'values below 0 or too large'] as const;
const OTHERS = ['point that is no histogram', 'points that are no histograms'] as const;

function isOrAre(count: number): string {
  return count === 1 ? 'is' : 'are';
}

// Files of OTLP.

/** Reads a file of OTLP. @throws Refusal when it cannot be read. */
async function* openOtlp(path: string, onBytes: (bytes: number) => void): AsyncGenerator<Uint8Array, void> {
  try {
    // Metrics of one program are alike, so they may be much longer than their compressed bytes.
    yield* readUnzipped(path, onBytes, Number.MAX_SAFE_INTEGER);
  } catch (error) {
    if (error instanceof HdrscopeError) throw new Refusal(`${path}: ${error.message}`, { cause: error });
    if (!('syscall' in (error as Error))) throw error;
    throw new Refusal(systemErrorText(error, path), { cause: error });
  }
}
