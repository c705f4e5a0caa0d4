import type { LogSource } from '@hdrscope/interval-log';
import { type Io, Refusal } from '../command.ts';
import { assertNumberOptions, type NumberOptions } from '../numbers/number-options.ts';
import { type BegunText, cureOf } from '../numbers/number-plan.ts';
import { type FoundKind, type InputKind, NOT_TAKEN } from './kinds.ts';
import { hasRequests } from './load-tools/load-kind.ts';
import { FIGURES_BEGINNING, RequestsAsFigures } from './load-tools/requests-as-figures.ts';
import { lookAtOperands } from './operands.ts';
import { type Patience, recognise } from './recognise.ts';

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
