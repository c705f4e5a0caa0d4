import { stat } from 'node:fs/promises';
import { type LogEntry, type LogSource, readEntries } from '@hdrscope/interval-log';
import type { RecordedLog } from '@hdrscope/interval-log/internal';
import type { OtlpEncoding } from '@hdrscope/otel/receiver';
import type { CountedUnit } from '@hdrscope/registry';
import { type Command, Option } from 'commander';
import { type Arguments, choiceOption, createParser } from '../arguments.ts';
import { ExitCode, type Io, Refusal, UsageError } from '../command.ts';
import { formatCount, formatTime } from '../format.ts';
import { nameOf } from '../inputs/kinds.ts';
import { DOUBLES, leftOutText, seriesFinder, UNNAMED } from '../inputs/logged-series.ts';
import { isEpoch } from '../inputs/moment.ts';
import { MalformedTally } from '../inputs/open-inputs.ts';
import { openLogs } from '../log/input.ts';
import { NUMBER_UNITS } from '../numbers/number-unit.ts';
import type { ReadingProgress } from '../progress.ts';
import { type Imported, ImportedFiles, LogIdentity, shortHash } from './imported-files.ts';
import { rowsOfLog } from './log-rows.ts';
import { addPair, type Pairs, parsePartOfDay } from './options.ts';
import { encodingOf } from './otlp/bodies.ts';

const DESCRIPTION = `Adds interval logs and files of OTLP to a history: a row for each series and stretch of time, in Parquet files by day.

Logs that hdrscope wrote say which metrics they have. In others, a tag such as get is the attribute "tag" of the metric that
--metric names, and a tag such as rpc?method="get" is that of the metric rpc. All digits of a log are kept.

A log is known by its beginning, whatever its file is called: importing it again adds nothing, and importing it when
it has grown adds what is new. Parts of a log, as log slice and log merge write them, are other logs.

A file of OTLP has metrics as the file exporter of the OpenTelemetry Collector writes them: lines of JSON, or protobuf; it
is known by its first request. All its histograms are imported, exponential and explicit, delta and cumulative. A bucket
counts at its middle, so percentiles are as exact as the buckets. Give files that follow each other in one command, the
oldest first: the first point of a cumulative stream has counts from before the file.`;

interface Options {
  readonly output?: string;
  readonly unit: CountedUnit;
  readonly metric: string;
  readonly every: number;
  readonly attribute: Pairs;
}

/** The arguments of `hdrscope history import`. */
export function parser(): Command {
  return createParser('hdrscope history import', DESCRIPTION, [
    'hdrscope history import service.hlog -o history',
    'hdrscope history import 2026-*.hlog.gz -o history --attribute host=a7',
    'hdrscope history import metrics-1.json metrics-2.json.gz -o history',
    'hdrscope history import ycsb.hlog -o history --unit us --metric ycsb.duration --every 10s',
  ])
    .argument('<file...>', 'logs and files of OTLP, plain or gzipped; - is a log on standard input')
    .option('-o, --output <folder>', 'the folder of the history; required. It is made if it does not exist')
    .addOption(
      choiceOption('--unit <unit>', 'the unit of values in logs that do not state it', NUMBER_UNITS).default(
        'ns',
      ),
    )
    .option('--metric <name>', 'the name of values in logs that do not state it', UNNAMED)
    .addOption(
      new Option('--every <duration>', 'the stretch of time of a row, which divides a day')
        .argParser(parsePartOfDay)
        .default(60_000, '1m'),
    )
    .addOption(
      new Option('--attribute <pair>', 'key=value: an attribute of all series; may be repeated')
        .argParser((text, others: Pairs | undefined) => addPair('--attribute', text, others))
        .default({}, 'none'),
    );
}

/** `hdrscope history import` */
export async function run({ options, operands }: Arguments<Options>, io: Io): Promise<number> {
  const { output: folder } = options;
  if (folder === undefined) throw new UsageError('-o is required: the folder of the history');
  if ((await stat(folder).catch(() => undefined))?.isDirectory() === false) {
    throw new Refusal(`${folder} is a file, and a folder is needed`);
  }
  const encodings = await Promise.all(operands.map((path) => (path === '-' ? undefined : encodingOf(path))));
  const logs = operands.filter((_, at) => encodings[at] === undefined);
  const otlp = operands.flatMap((path, at): OtlpFile[] => {
    const encoding = encodings[at];
    return encoding === undefined ? [] : [{ path, encoding }];
  });
  const { sources, onBytes, finish, note } = await openLogs(logs, io, true);
  const malformed = new MalformedTally();
  let exitCode: number = ExitCode.done;
  const lines: string[] = [];
  const report = async ({ name, imported, missing, remarks = [] }: ImportReport): Promise<void> => {
    if (missing.length > 0) exitCode = ExitCode.refused;
    for (const text of [...missing, ...remarks]) await note(`${name}: ${text}`);
    lines.push(`${name}: ${importedText(imported)}\n`);
  };
  const reading = { malformed, onBytes };
  try {
    for (const source of sources) {
      const { imported, leftOut, undecodable } = await importLog(source, folder, options, reading);
      const losses = [leftOutText(leftOut, DOUBLES), leftOutText(undecodable, UNDECODABLE)];
      const missing = losses.filter((text) => text !== undefined);
      await report({ name: nameOf(source), imported, missing });
    }
    if (otlp.length > 0) await importOtlp(otlp, folder, options, reading, report);
  } finally {
    finish();
    if (lines.length > 0) await io.stdout.write(lines.join(''));
  }
  return Math.max(exitCode, await malformed.report(io));
}

/** What became of a file. */
interface ImportReport {
  /** The name of the file. */
  readonly name: string;
  readonly imported: Imported;
  /** What was left out although it belongs in a history, in sentences. */
  readonly missing: readonly string[];
  /** What else a person may not expect, in sentences. */
  readonly remarks?: readonly string[];
}

interface OtlpFile {
  readonly path: string;
  readonly encoding: OtlpEncoding;
}

async function importOtlp(
  files: readonly OtlpFile[],
  folder: string,
  { every: everyMs, attribute: attributes }: Options,
  reading: LogReading,
  report: (report: ImportReport) => Promise<void>,
): Promise<void> {
  const { OtlpImports } = await import('./otlp/import.ts');
  const imports = new OtlpImports();
  for (const { path, encoding } of files) {
    const target = { folder, everyMs, attributes, ...reading };
    const { imported, losses } = await imports.add(path, encoding, target);
    await report({ name: path, imported, missing: losses.missing, remarks: losses.remarks });
  }
}

const UNDECODABLE = [
  'interval whose histogram cannot be decoded',
  'intervals whose histogram cannot be decoded',
] as const;

interface LogReading extends Pick<ReadingProgress, 'onBytes'> {
  readonly malformed: MalformedTally;
}

interface ImportedLog {
  readonly imported: Imported;
  /** Intervals of doubles. */
  readonly leftOut: number;
  /** Intervals whose histogram cannot be decoded. */
  readonly undecodable: number;
}

async function importLog(
  source: LogSource,
  folder: string,
  { unit, metric, every, attribute }: Options,
  { malformed, onBytes }: LogReading,
): Promise<ImportedLog> {
  const name = nameOf(source);
  const identity = new LogIdentity();
  const files = new ImportedFiles({
    name,
    folder,
    identity: () => identity.text,
    options: shortHash(JSON.stringify([every, unit, metric, Object.entries(attribute).sort()])).slice(0, 8),
  });
  const refusedNotes = new Set<number>();
  let badLines = 0;
  let leftOut = 0;
  let malformedOfLog = 0;
  const log: RecordedLog = {
    entries: seen(readEntries(source, { onBytes }), (entry) => {
      identity.take(entry);
      if (entry.kind === 'malformed') {
        badLines++;
        malformed.add(entry, source);
      }
      if (entry.kind === 'interval' && !isEpoch(entry.startSec)) throw new Refusal(withoutTimes(name));
    }),
    attributes: attribute,
    seriesOf: seriesFinder(unit, metric),
    onRefusedNote: (error) => {
      const lineNumber = Number(error.details.line);
      if (refusedNotes.has(lineNumber)) return;
      refusedNotes.add(lineNumber);
      malformed.add({ kind: 'malformed', lineNumber, error }, source);
    },
    onEnd: (result) => {
      // Called for each day.
      leftOut += result.leftOut;
      malformedOfLog += result.malformed;
    },
  };
  for await (const rows of rowsOfLog(log, every, () => identity.text)) await files.add(rows);
  await files.flush();
  return { imported: files.imported, leftOut, undecodable: malformedOfLog - badLines };
}

function withoutTimes(name: string): string {
  return `${name} does not say when it was written: begin it with the line #[BaseTime: SECONDS (seconds since epoch)]`;
}

async function* seen(
  entries: AsyncIterable<LogEntry>,
  see: (entry: LogEntry) => void,
): AsyncGenerator<LogEntry, void> {
  for await (const entry of entries) {
    see(entry);
    yield entry;
  }
}

function importedText({ rows, knownRows, firstMs, lastMs }: Imported): string {
  const count = (number: number): string => `${formatCount(number)} ${number === 1 ? 'row' : 'rows'}`;
  if (rows === 0) return knownRows === 0 ? 'there are no values' : `${count(knownRows)}, all there already`;
  const [from, to] = [firstMs, lastMs].map((timeMs) => formatTime(timeMs! / 1000));
  const known = knownRows === 0 ? '' : `; ${count(knownRows)} there already`;
  return `${count(rows)}, ${from} to ${to}${known}`;
}
