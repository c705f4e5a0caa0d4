import { basename } from 'node:path';
import { type LogHistogram, type LogSource, readText, type TextKind } from '@hdrscope/interval-log';
import { type Io, Refusal, UsageError } from '../command.ts';
import { decodeEncoded, isEncoded } from '../encoded-histogram.ts';
import { nameOfPath, sizeOf } from '../input-file.ts';
import { refusalOf } from '../log/input.ts';
import { recognise } from '../log/recognised.ts';

/** A file that is to be plotted, and what it is by its content. */
export type PlotInput = LogInput | HistogramInput | JsonInput;

interface Named {
  /** As it is called in the plot. */
  readonly name: string;
  /** As it is called in messages. */
  readonly path: string;
}

/** An interval log, or percentile text. */
export interface LogInput extends Named {
  readonly kind: Extract<TextKind, 'log' | 'percentiles'>;
  /** All of it, from its beginning. */
  readonly source: LogSource;
}

/** Encoded histograms without anything else. */
export interface HistogramInput extends Named {
  readonly kind: 'histogram';
  readonly histogram: LogHistogram;
}

/** A dump of Ceph, what `hdrscope ebpf read --json` has printed, or a plot. */
export interface JsonInput extends Named {
  readonly kind: 'json';
  readonly text: string;
}

/** The inputs, and how many bytes they have; `undefined` where nobody knows. */
export interface PlotInputs {
  readonly inputs: readonly PlotInput[];
  readonly totalBytes: number | undefined;
}

const BEGINNING_BYTES = 2 ** 16;
const LARGEST_BYTES = 2 ** 26;

/**
 * Looks at the files that a command line names.
 *
 * @throws Refusal, UsageError
 */
export async function openPlotInputs(paths: readonly string[], io: Io): Promise<PlotInputs> {
  if (paths.filter((path) => path === '-').length > 1) {
    throw new UsageError('- is standard input, which can be read only once');
  }
  let totalBytes: number | undefined = 0;
  const sizes: (number | undefined)[] = [];
  for (const path of paths) {
    const size: number | undefined = path === '-' ? undefined : await sizeOf(path);
    totalBytes = totalBytes === undefined || size === undefined ? undefined : totalBytes + size;
    sizes.push(size);
  }
  const inputs: PlotInput[] = [];
  const names = paths.map((path) => (path === '-' ? nameOfPath(path) : basename(path)));
  for (const [at, path] of paths.entries()) {
    const name = names[at]!;
    const isUnique = names.indexOf(name) === names.lastIndexOf(name);
    const named = { name: isUnique ? name : path, path: nameOfPath(path) };
    inputs.push(await openInput(named, path, sizes[at] !== undefined, io));
  }
  return { inputs, totalBytes };
}

async function openInput(named: Named, path: string, isFile: boolean, io: Io): Promise<PlotInput> {
  const { kind, source } = await recognise(path, isFile, io, 'beginning');
  if (kind === 'percentiles') return { kind, ...named, source };
  if (kind !== 'log') throw refusalOf(kind, named.path);
  const { beginning, whole } = await beginningOf(source);
  if (/^\s*[[{]/.test(beginning) || /"axes"\s*:/.test(beginning)) {
    return { kind: 'json', ...named, text: await wholeText(whole, named.path) };
  }
  if (isEncoded(beginning)) {
    return {
      kind: 'histogram',
      ...named,
      histogram: decodeEncoded(await wholeText(whole, named.path), named.path),
    };
  }
  return { kind, ...named, source: whole };
}

/** Reads what a source begins with, and hands back all of it. */
async function beginningOf(source: LogSource): Promise<{ beginning: string; whole: LogSource }> {
  if (typeof source === 'string')
    return { beginning: await readText(source, BEGINNING_BYTES), whole: source };
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const rest = (source as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
  while (bytes < BEGINNING_BYTES) {
    const { done, value } = await rest.next();
    if (done === true) break;
    chunks.push(value);
    bytes += value.length;
  }
  return { beginning: await readText(chunks, BEGINNING_BYTES), whole: followed(chunks, rest) };
}

async function* followed(
  begun: readonly Uint8Array[],
  rest: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array, void> {
  try {
    yield* begun;
    for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}

async function wholeText(source: LogSource, path: string): Promise<string> {
  const text = await readText(source, LARGEST_BYTES);
  if (text.length >= LARGEST_BYTES) throw new Refusal(`${path} is longer than such a file may be: 64 MiB`);
  return text;
}
