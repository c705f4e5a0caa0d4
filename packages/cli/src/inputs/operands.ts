import { basename } from 'node:path';
import { UsageError } from '../command.ts';
import { nameOfPath, sizeOf } from './input-file.ts';

/** What a command line names. */
export interface Operand {
  /** `-` is standard input. */
  readonly path: string;
  /** As messages call it. */
  readonly name: string;
  /** As a plot calls it: without its folder, where that leaves it unique. */
  readonly title: string;
  /** Whether it is a plain file, which can be read twice. */
  readonly isFile: boolean;
}

/** What a command line names, and how many bytes that has; `undefined` where nobody knows. */
export interface Operands {
  readonly operands: readonly Operand[];
  readonly totalBytes: number | undefined;
}

/**
 * Looks whether all is there. Nothing is read yet.
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
