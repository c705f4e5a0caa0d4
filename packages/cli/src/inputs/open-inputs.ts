import type { LogSource } from '@hdrscope/interval-log';
import { type Io, Refusal } from '../command.ts';
import { type InputKind, NOT_TAKEN } from './kinds.ts';
import { lookAtOperands } from './operands.ts';
import { type Patience, recognise } from './recognise.ts';

/** A file or stream that a command takes and has not read yet. */
export interface Input<Kind extends InputKind = InputKind> {
  readonly kind: Kind;
  /** Its name in messages. */
  readonly name: string;
  /** Its name in plots. */
  readonly title: string;
  /** The whole input, from its beginning. */
  readonly source: LogSource;
}

/** The inputs of a command and their size in bytes; `undefined` when it is unknown. */
interface Inputs<Kind extends InputKind = InputKind> {
  readonly inputs: readonly Input<Kind>[];
  readonly totalBytes: number | undefined;
}

/** The kinds of input that a command takes. */
export interface Taking<Kind extends InputKind> {
  readonly takes: readonly Kind[];
  /** The kind of a text that is not recognised. */
  readonly otherwise: Kind;
  /** The kind of every input when the command line states it. @default each is recognised */
  readonly as?: Kind | undefined;
  /** @default 'beginning' */
  readonly patience?: Patience;
}

/**
 * Opens the inputs of a command line and recognises each by its content. Refuses what it can before the command reads
 * anything.
 *
 * @throws Refusal, UsageError
 */
export async function openInputs<Kind extends InputKind>(
  paths: readonly string[],
  { takes, otherwise, as, patience = 'beginning' }: Taking<Kind>,
  io: Io,
): Promise<Inputs<Kind>> {
  const { operands, totalBytes } = await lookAtOperands(paths);
  const inputs: Input<Kind>[] = [];
  for (const { path, name, title, isFile } of operands) {
    const { kind: found = otherwise, source } = await recognise(path, isFile, io, patience);
    const kind = as ?? takes.find((one) => one === found);
    if (kind === undefined) throw new Refusal(`${name} ${NOT_TAKEN[found]}`);
    inputs.push({ kind, name, title, source });
  }
  return { inputs, totalBytes };
}
