import type { LogSource } from '@hdrscope/interval-log';
import { type Io, Refusal } from '../command.ts';
import { type InputKind, NOT_TAKEN } from './kinds.ts';
import { lookAtOperands } from './operands.ts';
import { type Patience, recognise } from './recognise.ts';

/** A file or a stream that a command takes, not read yet. */
export interface Input<Kind extends InputKind = InputKind> {
  readonly kind: Kind;
  /** As messages call it. */
  readonly name: string;
  /** As a plot calls it. */
  readonly title: string;
  /** All of it, from its beginning. */
  readonly source: LogSource;
}

/** The inputs of a command, and how many bytes they have; `undefined` where nobody knows. */
export interface Inputs<Kind extends InputKind = InputKind> {
  readonly inputs: readonly Input<Kind>[];
  readonly totalBytes: number | undefined;
}

/** What a command takes. */
export interface Taking<Kind extends InputKind> {
  readonly takes: readonly Kind[];
  /** What a text is taken for that tells nothing. */
  readonly otherwise: Kind;
  /** What everything is taken for, where the command line tells it. */
  readonly as?: Kind | undefined;
  /** @default 'beginning' */
  readonly patience?: Patience;
}

/**
 * Opens what a command line names, and sees by its content what it is. What can be refused is refused before anything is
 * read.
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
