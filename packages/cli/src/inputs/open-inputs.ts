import { basename } from 'node:path';
import type { LogSource, MalformedLine } from '@hdrscope/interval-log';
import { type Io, Refusal, UsageError } from '../command.ts';
import { assertNumberOptions, type BegunText, cureOf, type NumberOptions } from '../numbers/number-plan.ts';
import {
  type FoundKind,
  type InputKind,
  NOT_TAKEN,
  nameOf,
  nameOfPath,
  type Patience,
  recognise,
  sizeOf,
} from './kinds.ts';
import { LineTally } from './line-tally.ts';
import { hasRequests } from './load-tools/load.ts';
import { FIGURES_BEGINNING, RequestsAsFigures } from './load-tools/read-load.ts';

/** A file or stream that a command takes and has not read yet. */
export interface Input<Kind extends FoundKind = InputKind> {
  readonly kind: Kind;
  /** Its name in messages. */
  readonly name: string;
  /** Its name in plots. */
  readonly title: string;
  /** The whole input, from its beginning. */
  readonly source: LogSource;
  /** Its first lines, decompressed, or all of them. */
  readonly beginning: string;
}

/** The inputs of a command and their size in bytes; `undefined` when it is unknown. */
interface Inputs<Kind extends FoundKind = InputKind> {
  readonly inputs: readonly Input<Kind>[];
  readonly totalBytes: number | undefined;
}

/** The kinds of input that a command takes. */
export interface Taking<Kind extends FoundKind> {
  /** A command that takes `recorded` takes the requests of load generators as well: they become recorded figures. */
  readonly takes: readonly Kind[];
  /** The kind of a text that is not recognised. */
  readonly otherwise: Kind;
  /** The kind of every input when the command line states it. @default each is recognised */
  readonly as?: Kind | undefined;
  /** @default 'beginning' */
  readonly patience?: Patience;
  /** Where numbers are in JSON and tables, for a command that counts them. */
  readonly numbers?: NumberOptions;
  /** The command, for messages: `hdrscope plot`. */
  readonly command?: string;
}

/**
 * Opens the inputs of a command line and recognises each by its content. Refuses what it can before the command reads
 * anything.
 *
 * @throws Refusal, UsageError
 */
export async function openInputs<Kind extends FoundKind>(
  paths: readonly string[],
  { takes, otherwise, as, patience = 'beginning', numbers, command }: Taking<Kind>,
  io: Io,
): Promise<Inputs<Kind>> {
  if (numbers !== undefined) assertNumberOptions(numbers);
  const { operands, totalBytes } = await lookAtOperands(paths);
  const recorded = takes.find((one) => one === 'recorded');
  const inputs: Input<Kind>[] = [];
  for (const { path, name, title, isFile } of operands) {
    const { kind, ...read } = await recognise(path, isFile, io, patience);
    const found = chosenKind(kind, numbers) ?? otherwise;
    const input = { name, title, ...read };
    const taken = as ?? takes.find((one) => one === found);
    if (taken !== undefined) inputs.push({ ...input, kind: taken });
    else if (recorded !== undefined && hasRequests(found)) {
      const source = new RequestsAsFigures({ ...input, kind: found }, io);
      inputs.push({ ...input, source, beginning: FIGURES_BEGINNING, kind: recorded });
    } else throw new Refusal(refusal(input, found, numbers && command));
  }
  return { inputs, totalBytes };
}

const JSON_KINDS: ReadonlySet<FoundKind | undefined> = new Set([
  'json',
  'figures',
  'recorded',
  'k6 points',
] as const);
const TABLE_KINDS: ReadonlySet<FoundKind | undefined> = new Set([
  'table',
  'k6 table',
  'oha table',
  undefined,
] as const);

/** The kind of a text. Options that say where its numbers are make it one of numbers. */
function chosenKind(
  kind: FoundKind | undefined,
  { field, column, skip }: NumberOptions = {},
): FoundKind | undefined {
  if (JSON_KINDS.has(kind) && field !== undefined) return 'numbers';
  return TABLE_KINDS.has(kind) && (column !== undefined || skip !== undefined) ? 'numbers' : kind;
}

function refusal(text: BegunText, found: FoundKind, command: string | undefined): string {
  const isKnown = found === 'json' || found === 'table';
  const cure = isKnown && command !== undefined ? cureOf(text, command) : undefined;
  if (cure === undefined) return `${text.name} ${NOT_TAKEN[found]}`;
  return `${text.name} is ${found === 'json' ? 'JSON' : 'a table'}; ${cure}`;
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
async function lookAtOperands(paths: readonly string[]): Promise<Operands> {
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

// Malformed lines.

/** Counts the malformed lines of a command's logs. */
export class MalformedTally {
  readonly #lines = new LineTally();

  readonly add = ({ lineNumber, error }: MalformedLine, source: LogSource): void =>
    this.#lines.add(lineNumber, () => `${nameOf(source)}: ${error.message}`);

  /** Reports like `LineTally.report`. */
  report(io: Io): Promise<number> {
    return this.#lines.report(io);
  }
}
