import { basename } from 'node:path';
import { Histogram } from '@hdrscope/core';
import {
  type InputForm,
  type NumberPlace,
  type RecordedFigures,
  type RequestForm,
  readRequests,
} from '@hdrscope/inputs';
import {
  hasRequests,
  type Patience,
  recogniseReport,
  requestFacts,
  valueStretches,
} from '@hdrscope/inputs/internal';
import type { Selection } from '@hdrscope/interval-log';
import { type Io, Refusal, UsageError } from '../command.ts';
import { bytesOf, explained, type Input, type InputKind, nameOfPath, recognise, sizeOf } from './input.ts';
import { assertTags } from './known-tags.ts';
import { LineTally } from './line-tally.ts';
import { assertNumberPlace, cureOf } from './numbers.ts';

/** The end of a sentence about a form that has all counts, and that most commands do not read. */
const CONVERTS = 'hdrscope record shows it, and convert makes an interval log or another form of it';

/** Ends of messages: what the file is, and which commands take it. */
export const NOT_TAKEN: Readonly<Record<Exclude<InputForm, RequestForm | 'report'>, string>> = {
  'fio json':
    'has the latencies that fio has counted: hdrscope record shows them by job, operation and kind of latency, and check judges them',
  'fio histograms':
    'has the latencies that fio has counted in intervals: hdrscope record shows them by operation, and check judges them',
  'locust json':
    'has the durations that Locust has counted: hdrscope record shows them by method and name, and check judges them',
  ddsketch: `is a DDSketch: ${CONVERTS}`,
  elasticsearch: `is an exponential histogram of Elasticsearch: ${CONVERTS}`,
  envoy: `has the statistics of Envoy: ${CONVERTS}`,
  vmrange: `has histograms of VictoriaMetrics: ${CONVERTS}`,
  prometheus: `has histograms for Prometheus: ${CONVERTS}`,
  'hey report':
    'is the report of hey, which has a few percentiles and not the values between them: hdrscope check judges those. hey -o csv writes every request',
  'wrk report':
    'is the report of wrk, which has a few percentiles and not the values between them: hdrscope check judges those. wrk2 --latency prints all of its counts',
  autocannon:
    'is a summary of autocannon, which has a few percentiles and not the values between them: hdrscope check judges those. wrk2 --latency, k6 --out json=FILE and oha --output-format csv write every value',
  'k6 summary':
    'is a summary of k6, which has a few percentiles and not the values between them: hdrscope check judges those. k6 run --out json=FILE writes every value',
  'oha summary':
    'is a summary of oha, which has a few percentiles and not the values between them: hdrscope check judges those. oha --output-format csv writes every value',
  'locust table':
    'is a table of Locust, which has a few percentiles and not the values between them: hdrscope check judges those. k6 --out json=FILE and oha --output-format csv write every value',
  'artillery report':
    'is a report of Artillery, which has a few percentiles and not the values between them: hdrscope check judges those. k6 --out json=FILE and oha --output-format csv write every value',
  log: 'is an interval log: hdrscope log summary, check, diff, plot and serve take it, and the other commands of hdrscope log',
  percentiles:
    'is percentile text, which has neither times nor intervals nor every value: hdrscope log summary and convert, check, diff, plot and serve take it',
  encoded: 'has encoded histograms, without times: hdrscope diff, plot and check take them',
  numbers:
    'is a text of numbers: hdrscope record counts them, diff compares, plot draws and check judges them; record --format hlog makes a log of them',
  recorded:
    'has figures and encoded histograms in JSON: hdrscope diff, plot and check take them; record and log convert write logs as well (--format hlog, v2)',
  figures:
    'has percentiles without the counts between them: hdrscope record --json, log convert --format ndjson, ebpf read --json and ceph dump --raw write the counts, which diff and plot take',
  json: 'is JSON: hdrscope plot draws dumps of Ceph, slots of the kernel, and plots',
  table: 'is a table: hdrscope record, diff, plot and check count one of its columns',
  picture: 'is a picture: hdrscope reads logs, texts of numbers, percentile text, histograms and JSON',
  binary:
    'is not text: hdrscope reads logs, texts of numbers, percentile text, histograms and JSON, plain or gzipped',
  'percentiles without counts':
    'has percentiles without counts, so the number of values is unknown. The .hgrm files of HdrHistogram and wrk2 --latency have counts, and ab -g writes every request',
  'percentiles per interval':
    "is the table that HdrHistogram's log processor writes, with percentiles of each interval: those cannot be added up. Take the log that it was made of, or the .hgrm file beside it",
};

/** The inputs of a command and their size in bytes; `undefined` when it is unknown. */
interface Inputs<Kind extends InputForm = InputKind> {
  readonly inputs: readonly Input<Kind>[];
  readonly totalBytes: number | undefined;
}

export interface Taking<Kind extends InputForm> {
  /** A command that takes `recorded` takes the requests of load generators as well: they become recorded figures. */
  readonly takes: readonly Kind[];
  /** The kind of a text that is not recognised. */
  readonly otherwise: Kind;
  /** The kind of every input when the command line states it. @default each is recognised */
  readonly as?: Kind | undefined;
  /** The format of access logs. Every input is one then. @default inputs are recognised */
  readonly logFormat?: string | undefined;
  /** @default 'beginning' */
  readonly patience?: Patience;
  /** Whether a file of no known form may become a log, because it grows. @default false */
  readonly mayGrow?: boolean;
  /** The part of logs that is wanted, whose tags must be in them. @default all */
  readonly selection?: Selection;
  /** Where numbers are in JSON and tables, for a command that counts them. */
  readonly numbers?: NumberPlace;
  /** The command, for messages: `hdrscope plot`. */
  readonly command?: string;
}

/**
 * Opens the inputs of a command line and recognises each by its content. Refuses what it can before the command reads
 * anything.
 *
 * @throws Refusal, UsageError
 */
export async function openInputs<Kind extends InputForm>(
  paths: readonly string[],
  {
    takes,
    otherwise,
    as,
    logFormat,
    patience = 'beginning',
    mayGrow = false,
    selection = {},
    numbers,
    command,
  }: Taking<Kind>,
  io: Io,
): Promise<Inputs<Kind>> {
  if (numbers !== undefined) assertNumberPlace(numbers);
  const { operands, totalBytes } = await lookAtOperands(paths);
  const recorded = takes.find((one) => one === 'recorded');
  const inputs: Input<Kind>[] = [];
  for (const { path, name, title, isFile } of operands) {
    const { kind, ...read } = await recognise(path, isFile, io, patience);
    const chosen = logFormat === undefined ? chosenKind(kind, numbers) : 'access log';
    const input = { name, title, ...read };
    const isUnknown = chosen === undefined && as === undefined && otherwise === 'log';
    // Intervals may come after the first chunk of a stream.
    const isSeen = !mayGrow && (isFile || patience === 'beginning');
    if (isUnknown && isSeen && !mayBeLog(read.beginning)) throw new Refusal(describeUnknown(name));
    const found = chosen ?? otherwise;
    const taken = as ?? takes.find((one) => one === found);
    if (taken !== undefined) inputs.push({ ...input, kind: taken });
    else if (recorded !== undefined && hasRequests(found)) {
      const source = new RequestsAsFigures({ ...input, kind: found }, logFormat, io);
      const stretches = (): readonly RecordedFigures[] => source.stretches;
      inputs.push({ ...input, source, stretches, beginning: FIGURES_BEGINNING, kind: recorded });
    } else throw new Refusal(describeInput({ ...input, kind: found }, numbers && command));
  }
  await assertTags(inputs, selection);
  return { inputs, totalBytes };
}

const JSON_KINDS: ReadonlySet<InputForm | undefined> = new Set([
  'json',
  'figures',
  'recorded',
  'k6 points',
  'vegeta lines',
  'nginx json',
  'envoy json',
  'caddy json',
  'traefik json',
] as const);

/** The kind of a text. Options that say where its numbers are make it one of numbers. */
function chosenKind(
  kind: InputForm | undefined,
  { field, column, skip }: NumberPlace = {},
): InputForm | undefined {
  if (JSON_KINDS.has(kind) && field !== undefined) return 'numbers';
  const isTable = kind === undefined || kind === 'table' || (hasRequests(kind) && !JSON_KINDS.has(kind));
  return isTable && (column !== undefined || skip !== undefined) ? 'numbers' : kind;
}

/** Whether a text of no known form may be a log: it has an interval, though damaged, or nothing but comments. */
function mayBeLog(beginning: string): boolean {
  // The last line may be incomplete.
  const lines = beginning.slice(0, beginning.lastIndexOf('\n') + 1 || undefined).split('\n');
  return (
    lines.some((line) => /^(?:Tag=[^,]*,)?\d+(?:\.\d*)?,\d+(?:\.\d*)?,/.test(line)) ||
    lines.every((line) => /^\s*(?:#|$)/.test(line))
  );
}

/** A sentence about a text of no known form. */
export function describeUnknown(name: string): string {
  return `${name} is text of no known form: hdrscope reads logs, texts of numbers, tables, percentile text, histograms, JSON and the output of load tests`;
}

/** Whether JSON has perf histograms of Ceph: each states its axes. */
export function isCephDump({ kind, beginning }: Pick<Input<InputForm>, 'kind' | 'beginning'>): boolean {
  return kind === 'json' && /"axes"\s*:\s*\[\s*\{/.test(beginning);
}

/** A line of an access log, in the beginning that most of their formats have. */
const ACCESS_LINE = /^\S{1,100} \S{1,100} [^\n"[]{1,200} ?\[\d\d\/\w{3}\/\d{4}:/;

/** A sentence: what an input is, and which commands take it. @param command The command that counts its numbers. */
export function describeInput(input: Input<InputForm>, command: string | undefined): string {
  const { kind: found, name } = input;
  if (hasRequests(found)) {
    return `${name} has the requests of ${requestFacts(found).tool}: hdrscope record, check, diff and plot take it`;
  }
  if (found === 'report') {
    const { tool, cure } = recogniseReport(input.beginning)!;
    return `${name} is the report that ${tool} prints for people, which has not every value: ${cure}`;
  }
  if (isCephDump(input))
    return `${name} has perf histograms of Ceph: hdrscope ceph dump, schema and heatmap take it, and plot`;
  const isKnown = found === 'json' || found === 'table';
  const cure = isKnown && command !== undefined ? cureOf(input, command) : undefined;
  if (cure === undefined) return `${name} ${NOT_TAKEN[found]}`;
  const isLog = found === 'table' && ACCESS_LINE.test(input.beginning);
  const form = isLog
    ? 'an access log, whose format --log-format states'
    : found === 'json'
      ? 'JSON'
      : 'a table';
  return `${name} is ${form}; ${cure}`;
}

// Operands.

/** An input as the command line names it. */
interface Operand {
  /** `-` is standard input. */
  readonly path: string;
  /** Its name in messages. */
  readonly name: string;
  /** Its name in plots: without its folder, unless two inputs would then have the same name. */
  readonly title: string;
  /** Whether it is a plain file, which can be read twice. */
  readonly isFile: boolean;
}

/** All inputs of a command line and their size in bytes; `undefined` when it is unknown. */
interface Operands {
  readonly operands: readonly Operand[];
  readonly totalBytes: number | undefined;
}

/**
 * Checks that all inputs exist. Reads nothing yet.
 *
 * @throws Refusal, UsageError
 */
export async function lookAtOperands(paths: readonly string[]): Promise<Operands> {
  if (paths.filter((path) => path === '-').length > 1) {
    throw new UsageError('- is standard input, which can be read only once');
  }
  const titles = paths.map((path) => (path === '-' ? nameOfPath(path) : basename(path)));
  const operands: Operand[] = [];
  let totalBytes: number | undefined = 0;
  for (const [at, path] of paths.entries()) {
    const size = path === '-' ? undefined : await sizeOf(path);
    totalBytes = totalBytes === undefined || size === undefined ? undefined : totalBytes + size;
    const title = titles[at]!;
    const isUnique = titles.indexOf(title) === titles.lastIndexOf(title);
    operands.push({
      path,
      name: nameOfPath(path),
      title: isUnique ? title : path,
      isFile: size !== undefined,
    });
  }
  return { operands, totalBytes };
}

// Requests of load generators.

// In nanoseconds, as hdrscope record counts milliseconds.
const TICKS_PER_MS = 1e6;

/** The beginning of the text, which states the unit. */
const FIGURES_BEGINNING = '{"unit":"ms","resolution":0.000001,';

/**
 * The durations of a load test as figures with an encoded histogram, as `hdrscope record --format json` writes them. Each iteration reads
 * the input anew.
 */
class RequestsAsFigures implements AsyncIterable<Uint8Array> {
  readonly #input: Input<RequestForm>;
  readonly #logFormat: string | undefined;
  readonly #io: Io;
  /** The durations by stretches of time, once they are read. */
  stretches: readonly RecordedFigures[] = [];

  constructor(input: Input<RequestForm>, logFormat: string | undefined, io: Io) {
    this.#input = input;
    this.#logFormat = logFormat;
    this.#io = io;
  }

  /** @throws Refusal when a line is malformed: figures of the others would look whole. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void> {
    const histogram = new Histogram();
    const badLines = new LineTally();
    const { kind, name } = this.#input;
    const bytes = bytesOf(this.#input, () => this.#io.signal.throwIfAborted());
    const stretches = valueStretches();
    const onRequest = (durationMs: number, atSec: number): void => {
      const ticks = Math.round(durationMs * TICKS_PER_MS);
      histogram.record(ticks);
      stretches.at(atSec).record(ticks);
    };
    const options = { name, onBadLine: badLines.add, logFormat: this.#logFormat };
    await explained(() => readRequests(kind, bytes, { onRequest }, options));
    if ((await badLines.report(this.#io)) !== 0) throw new Refusal(`${name} has malformed lines`);
    this.stretches = stretches
      .inOrder()
      .map((stretch) => ({ histogram: stretch, unit: 'ms', resolution: 1 / TICKS_PER_MS }));
    yield Buffer.from(`${FIGURES_BEGINNING}"encoded":"${histogram.toBase64()}"}\n`);
  }
}
