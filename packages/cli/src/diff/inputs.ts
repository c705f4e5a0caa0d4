import { type Io, UsageError } from '../command.ts';
import { isEncoded } from '../encoded-histogram.ts';
import { nameOfPath, sizeOf } from '../input-file.ts';
import { refusalOf } from '../log/input.ts';
import { recognise } from '../log/recognised.ts';

/** What can be compared: told by its content, whatever the file is called. */
export type DiffKind = 'log' | 'percentiles' | 'encoded' | 'numbers';

/** A side of a comparison, not read yet. */
export interface DiffInput {
  readonly kind: DiffKind;
  /** What messages call it. */
  readonly name: string;
  /** All of it, from its beginning. */
  readonly source: string | AsyncIterable<Uint8Array>;
}

/** The sides, and how many bytes they have together; `undefined` where nobody knows. */
export interface DiffInputs {
  readonly inputs: readonly DiffInput[];
  readonly totalBytes: number | undefined;
}

/**
 * Looks at what a command line names. What can be refused is refused before anything is read.
 *
 * @throws Refusal, UsageError
 */
export async function openDiffInputs(paths: readonly string[], io: Io): Promise<DiffInputs> {
  if (paths.filter((path) => path === '-').length > 1) {
    throw new UsageError('- is standard input, which can be read only once');
  }
  const sizes: (number | undefined)[] = [];
  for (const path of paths) sizes.push(path === '-' ? undefined : await sizeOf(path));
  const inputs: DiffInput[] = [];
  for (const [at, path] of paths.entries()) {
    const { kind, source, beginning } = await recognise(path, sizes[at] !== undefined, io, 'beginning');
    const name = nameOfPath(path);
    if (kind !== 'log' && kind !== 'percentiles') throw refusalOf(kind, name);
    inputs.push({ kind: kind === 'log' ? kindOf(beginning) : kind, name, source });
  }
  const totalBytes = sizes.reduce(
    (sum, size) => (sum === undefined || size === undefined ? undefined : sum + size),
    0,
  );
  return { inputs, totalBytes };
}

/** What is neither a log with an interval in its beginning, nor percentile text. */
function kindOf(beginning: string): DiffKind {
  if (isEncoded(beginning)) return 'encoded';
  const first = /^[ \t]*[^#\s].*$/m.exec(beginning)?.[0].trim() ?? '';
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(first) ? 'numbers' : 'log';
}
