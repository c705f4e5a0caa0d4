import { basename } from 'node:path';
import { UsageError } from '../command.ts';
import { nameOfPath, sizeOf } from './input-file.ts';

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
