import { readdir, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { wildcard } from '@hdrscope/kit';
import { Refusal, UsageError } from '../../command.ts';
import { systemErrorText } from '../../system-error.ts';

/** The files of both sides, as a command line names them. */
export interface SidesGiven {
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/**
 * The files of both sides: two operands, or those of `--before` and `--after`. A folder stands for its files, and a pattern with `*` that
 * the shell has left alone for those that match.
 *
 * @throws UsageError when sides are missing, or a file is given twice; Refusal when a folder or a pattern has no files.
 */
export async function findRunFiles(operands: readonly string[], given: SidesGiven): Promise<SidesGiven> {
  const { before, after } = given;
  if (before.length + after.length === 0) {
    const [one, other, ...more] = operands;
    if (one === undefined || other === undefined || more.length > 0) {
      throw new UsageError(
        `two files, before and after, or the runs of --before and --after, got ${operands.length} ${operands.length === 1 ? 'file' : 'files'}`,
      );
    }
    return { before: [one], after: [other] };
  }
  if (operands.length > 0) throw new UsageError(`files are given either way: ${operands[0]} is of no side`);
  if (before.length === 0 || after.length === 0) throw new UsageError('--before and --after need each other');
  const sides = await distinct({ before: await expanded(before), after: await expanded(after) });
  const [one, other] = [sides.before.length, sides.after.length];
  if ((one === 1) !== (other === 1)) {
    throw new UsageError(
      `--before has ${runsText(one)} and --after has ${runsText(other)}: how much runs differ is not known of one, so each side needs at least 2, or both have one`,
    );
  }
  return sides;
}

function runsText(count: number): string {
  return count === 1 ? '1 run' : `${count} runs`;
}

async function expanded(paths: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const path of paths) for (const file of await filesAt(path)) found.push(file);
  return found;
}

async function filesAt(path: string): Promise<string[]> {
  const isPattern = basename(path).includes('*');
  const pattern = wildcard(basename(path), { ignoresCase: false });
  const isFolder =
    !isPattern && path !== '-' && (await stat(path).catch(() => undefined))?.isDirectory() === true;
  if (!isPattern && !isFolder) return [path];
  const folder = isPattern ? dirname(path) : path;
  const names = await namesIn(folder);
  const files = names.filter((name) => !isPattern || pattern.test(name)).map((name) => join(folder, name));
  if (files.length === 0) throw new Refusal(`${path}: there are no such files`);
  return files;
}

/** The plain files of a folder, without hidden ones, in the order of their names, numbers by their values. */
async function namesIn(folder: string): Promise<string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    const names = entries
      .filter((entry) => !entry.isDirectory() && !entry.name.startsWith('.'))
      .map(({ name }) => name);
    return names.sort(new Intl.Collator('en', { numeric: true }).compare);
  } catch (cause) {
    throw new Refusal(systemErrorText(cause, folder), { cause });
  }
}

/** @throws UsageError when a file is given twice: two equal runs would hide the noise of the machine. */
async function distinct(sides: SidesGiven): Promise<SidesGiven> {
  const seen = new Set<string>();
  for (const path of [...sides.before, ...sides.after]) {
    const real = await realpath(path).catch(() => path);
    if (seen.has(real)) throw new UsageError(`${path} is given twice: each run is a file of its own`);
    seen.add(real);
  }
  return sides;
}
