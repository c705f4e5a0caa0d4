import { readdir, realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { wildcard } from '@hdrscope/kit';
import { Refusal, UsageError } from '../../command.ts';
import { lookAtPath, refusing } from '../../system-error.ts';

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
  const sides = await findSideFiles(operands, given);
  const [one, other] = [sides.before.length, sides.after.length];
  if ((one === 1) !== (other === 1)) {
    throw new UsageError(
      `--before has ${runsText(one)} and --after has ${runsText(other)}: how much runs differ is not known of one, so each side needs at least 2, or both have one`,
    );
  }
  return sides;
}

/** `findRunFiles` for a command that adds up the files of a side: any number of them. */
export async function findSideFiles(operands: readonly string[], given: SidesGiven): Promise<SidesGiven> {
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
  const sides = { before: await expanded(before), after: await expanded(after) };
  await assertDistinct([...sides.before, ...sides.after]);
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
  if (isPattern(path)) return listMatches(path, 'files');
  return (await isFolder(path)) ? listMatches(join(path, '*'), 'files', path) : [path];
}

function isPattern(path: string): boolean {
  return basename(path).includes('*');
}

async function isFolder(path: string): Promise<boolean> {
  return path !== '-' && (await lookAtPath(path))?.isDirectory() === true;
}

/** What a folder has that matches the last part of a path. @throws Refusal when nothing does. */
async function listMatches(path: string, kind: EntryKind, shown = path): Promise<string[]> {
  const [folder, pattern] = [dirname(path), wildcard(basename(path), { ignoresCase: false })];
  const names = (await namesIn(folder, kind)).filter((name) => pattern.test(name));
  if (names.length === 0) throw new Refusal(`${shown}: there are no such files`);
  return names.map((name) => join(folder, name));
}

type EntryKind = 'files' | 'files and folders';

/** The plain files of a folder, without hidden ones, in the order of their names, numbers by their values. */
async function namesIn(folder: string, kind: EntryKind): Promise<string[]> {
  const entries = await refusing(folder, () => readdir(folder, { withFileTypes: true }));
  const names = entries
    .filter((entry) => (kind !== 'files' || !entry.isDirectory()) && !entry.name.startsWith('.'))
    .map(({ name }) => name);
  return names.sort(new Intl.Collator('en', { numeric: true }).compare);
}

/** A build, as a command line names it. */
export interface BuildGiven {
  readonly name: string;
  readonly files: readonly string[];
}

/**
 * The builds of a command line, in its order: each file is a build of one run, each folder is one whose files are its runs, and a pattern
 * with `*` stands for the files and folders that match. One folder alone stands for what it has. A build has the name of its file or
 * folder, unless another one has it, too.
 *
 * @throws UsageError when a file is given twice; Refusal when a folder or a pattern has no files.
 */
export async function findBuilds(operands: readonly string[]): Promise<BuildGiven[]> {
  const [only = ''] = operands;
  const isSeries = operands.length === 1 && !isPattern(only) && (await isFolder(only));
  const paths: string[] = [];
  for (const path of operands) {
    const found = isSeries
      ? await listMatches(join(path, '*'), 'files and folders', path)
      : isPattern(path)
        ? await listMatches(path, 'files and folders')
        : [path];
    for (const one of found) paths.push(one);
  }
  const names = paths.map((path) => basename(path));
  const areNames = new Set(names).size === names.length;
  const builds: BuildGiven[] = [];
  for (const [at, path] of paths.entries()) {
    builds.push({ name: areNames ? names[at]! : path, files: await filesAt(path) });
  }
  await assertDistinct(builds.flatMap(({ files }) => files));
  return builds;
}

/** @throws UsageError when a file is given twice: its values would count twice, and hide the noise of the machine. */
async function assertDistinct(paths: readonly string[]): Promise<void> {
  const seen = new Set<string>();
  for (const path of paths) {
    const real = await realpath(path).catch(() => path);
    if (seen.has(real)) throw new UsageError(`${path} is given twice: each run is a file of its own`);
    seen.add(real);
  }
}
