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
  isSketch,
  type Patience,
  recogniseReport,
  valueStretches,
} from '@hdrscope/inputs/internal';
import type { Selection } from '@hdrscope/interval-log';
import { type Io, Refusal, UsageError } from '../command.ts';
import { type ReadingProgress, startReading } from '../screen/progress.ts';
import { describeForm } from './forms.ts';
import { bytesOf, explained, type Input, type InputKind, nameOfPath, recognise, sizeOf } from './input.ts';
import { LineTally } from './line-tally.ts';
import { assertNumberPlace, cureOf } from './numbers.ts';
import { assertTags, describeRecording } from './selection-options.ts';
import type { TakenSketches } from './sketches.ts';

/** The inputs of a command, and what shows how far it has read them. */
export interface Inputs<Kind extends InputForm = InputKind> {
  readonly inputs: readonly Input<Kind>[];
  readonly progress: ReadingProgress;
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
  /** What the command line states of sketches. A command that takes `recorded` takes them as well then. */
  readonly sketches?: TakenSketches;
  /** The part of logs that is wanted, whose tags must be in them. @default all */
  readonly selection?: Selection;
  /** Where numbers are in JSON and tables, for a command that counts them. */
  readonly numbers?: NumberPlace;
  /** The command, for messages: `hdrscope plot`. */
  readonly command?: string;
  /** Other files that the command reads and opens itself, for the progress. @default none */
  readonly others?: readonly string[];
  /** Whether the command prints nothing on a terminal while it reads, so that progress can be shown. @default true */
  readonly isQuiet?: boolean;
}

/**
 * Opens the inputs of a command line and recognises each by its content. Refuses what it can before the command reads
 * anything.
 *
 * @throws Refusal, UsageError
 */
export async function openInputs<Kind extends InputForm>(
  paths: readonly string[],
  taking: Taking<Kind>,
  io: Io,
): Promise<Inputs<Kind>> {
  const { numbers, others = [], isQuiet, selection = {} } = taking;
  if (numbers !== undefined) assertNumberPlace(numbers);
  const { operands, totalBytes } = await lookAtOperands(paths);
  const { totalBytes: otherBytes } = await lookAtOperands(others);
  const isSizeKnown = totalBytes !== undefined && otherBytes !== undefined;
  const progress = startReading(io, isSizeKnown ? totalBytes + otherBytes : undefined, isQuiet);
  // Sketches are read now.
  const inputs = await openOperands(operands, taking, progress, io).finally(progress.finish);
  await assertTags(inputs, selection);
  return { inputs, progress };
}

async function openOperands<Kind extends InputForm>(
  operands: readonly Operand[],
  {
    takes,
    otherwise,
    as,
    logFormat,
    patience = 'beginning',
    mayGrow = false,
    numbers,
    sketches,
    command,
  }: Taking<Kind>,
  progress: ReadingProgress,
  io: Io,
): Promise<Input<Kind>[]> {
  const recorded = takes.find((one) => one === 'recorded');
  const inputs: Input<Kind>[] = [];
  for (const { path, name, title, isFile } of operands) {
    const { kind, ...read } = await recognise(path, isFile, io, patience);
    const chosen = logFormat === undefined ? chosenKind(kind, numbers) : 'access log';
    const input = { name, title, ...read };
    if (sketches !== undefined && recorded !== undefined && isSketchStated(kind, sketches)) {
      const { openSketches } = await import('./sketches.ts');
      for (const one of await openSketches(input, sketches, progress, io))
        inputs.push({ ...one, kind: recorded });
      continue;
    }
    const isUnknown = chosen === undefined && as === undefined && otherwise === 'log';
    // Intervals may come after the first chunk of a stream.
    const isSeen = !mayGrow && (isFile || patience === 'beginning');
    if (isUnknown && isSeen && !mayBeLog(read.beginning)) throw new Refusal(describeUnknown(name));
    const found = chosen ?? otherwise;
    if (sketches !== undefined) assertNoSketchOptions({ name, kind: found }, sketches);
    const taken = as ?? takes.find((one) => one === found);
    if (taken !== undefined) inputs.push({ ...input, kind: taken });
    else if (recorded !== undefined && hasRequests(found)) {
      const asked = { logFormat, metric: sketches?.metric };
      const source = new RequestsAsFigures({ ...input, kind: found }, asked, progress, io);
      const stretches = (): readonly RecordedFigures[] => source.stretches;
      inputs.push({ ...input, source, stretches, beginning: FIGURES_BEGINNING, kind: recorded });
    } else throw new Refusal(describeInput({ ...input, kind: found }, numbers && command));
  }
  return inputs;
}

/** Whether an input is a sketch: its content or the command line says so. */
function isSketchStated(kind: InputForm | undefined, { from }: TakenSketches): boolean {
  return from !== undefined || (kind !== undefined && isSketch(kind));
}

/** @throws UsageError for an option of sketches, which another input would be read without. */
function assertNoSketchOptions(
  { name, kind }: Pick<Input<InputForm>, 'name' | 'kind'>,
  { metric, where = {}, min, max }: TakenSketches,
): void {
  const [given] = [
    Object.keys(where).length > 0 && '--where',
    min !== undefined && '--min',
    max !== undefined && '--max',
    metric !== undefined && !HAVE_METRICS.has(kind) && '--metric',
  ].filter((one) => one !== false);
  if (given === undefined) return;
  const cure = hasRequests(kind)
    ? `--tag chooses a part of an interval log, and ${describeRecording(name)}`
    : kind === 'log'
      ? '--tag chooses the tags of a log'
      : 'leave it out';
  throw new UsageError(
    `${given} is for distributions that other programs have counted, and ${name} has none: ${cure}`,
  );
}

/** Forms of load tests with several metrics; JSON may be one of them. */
const HAVE_METRICS: ReadonlySet<InputForm> = new Set([
  'k6 points',
  'k6 table',
  'k6 summary',
  'json',
] as const);

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

/** Whether an input looks like an access log, in a format that only the person knows. */
export function isUnknownAccessLog({
  kind,
  beginning,
}: Pick<Input<InputForm>, 'kind' | 'beginning'>): boolean {
  return kind === 'table' && ACCESS_LINE.test(beginning);
}

/** A sentence: what an input is, and which commands take it. @param command The command that counts its numbers. */
export function describeInput(input: Input<InputForm>, command: string | undefined): string {
  const { kind: found, name } = input;
  if (found === 'report') {
    const { tool, cure } = recogniseReport(input.beginning)!;
    return `${name} is the report that ${tool} prints for people, which has not every value: ${cure}`;
  }
  if (isCephDump(input))
    return `${name} has perf histograms of Ceph: hdrscope ceph dump, schema and heatmap take it, and plot`;
  const isKnown = found === 'json' || found === 'table';
  const cure = isKnown && command !== undefined ? cureOf(input, command) : undefined;
  if (cure === undefined) return describeForm(name, found);
  const form = isUnknownAccessLog(input)
    ? 'an access log in none of the usual formats: --log-format states that of the server'
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

/** What a command line states of requests. */
interface AskedRequests {
  /** The format of access logs. @default recognised */
  readonly logFormat: string | undefined;
  /** The metric of k6. @default that of durations */
  readonly metric: string | undefined;
}

/**
 * The durations of a load test as figures with an encoded histogram, as `hdrscope record --format json` writes them. Each iteration reads
 * the input anew.
 */
class RequestsAsFigures implements AsyncIterable<Uint8Array> {
  readonly #input: Input<RequestForm>;
  readonly #asked: AskedRequests;
  readonly #progress: ReadingProgress;
  readonly #io: Io;
  /** The durations by stretches of time, once they are read. */
  stretches: readonly RecordedFigures[] = [];

  constructor(input: Input<RequestForm>, asked: AskedRequests, progress: ReadingProgress, io: Io) {
    this.#input = input;
    this.#asked = asked;
    this.#progress = progress;
    this.#io = io;
  }

  /** @throws Refusal when a line is malformed: figures of the others would look whole. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void> {
    const histogram = new Histogram();
    const badLines = new LineTally();
    const { kind, name } = this.#input;
    const bytes = bytesOf(this.#input, this.#progress.onBytes);
    const stretches = valueStretches();
    const onRequest = (durationMs: number, atSec: number): void => {
      const ticks = Math.round(durationMs * TICKS_PER_MS);
      histogram.record(ticks);
      stretches.at(atSec).record(ticks);
    };
    const options = { name, onBadLine: badLines.add, ...this.#asked };
    await explained(() => readRequests(kind, bytes, { onRequest }, options));
    if ((await badLines.report(this.#io)) !== 0) throw new Refusal(`${name} has malformed lines`);
    this.stretches = stretches
      .inOrder()
      .map((stretch) => ({ histogram: stretch, unit: 'ms', resolution: 1 / TICKS_PER_MS }));
    yield new TextEncoder().encode(`${FIGURES_BEGINNING}"encoded":"${histogram.toBase64()}"}\n`);
  }
}
