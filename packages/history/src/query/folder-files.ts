import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isMissing } from '@hdrscope/kit/files';
import { fileError } from '../errors.ts';
import { DAY, ENDING, isDayFolder, lastDayOf, nameOfWaiting } from '../parquet/names.ts';
import type { CheckedQuestion } from '../sql/question.ts';
import { DAY_MS } from '../times.ts';

/** The time that a question asks for. */
export type Span = Pick<CheckedQuestion, 'sinceMs' | 'untilMs'>;

/**
 * The whole files of the days that a question asks for, those of rows that wait for a larger file too.
 *
 * @throws HdrscopeError `ERR_HISTORY_FILE`
 */
export async function filesOf(folder: string, { sinceMs, untilMs }: Span): Promise<string[]> {
  const first = sinceMs === undefined ? '' : folderOf(sinceMs);
  const last = untilMs === undefined ? '\uffff' : folderOf(untilMs);
  try {
    const days = (await readdir(folder)).filter((name) => isDayFolder(name) && name >= first && name <= last);
    const names = await Promise.all(
      days.sort().map(async (day) => {
        const path = join(folder, day);
        // A file that replaces others may come behind the place that a list has reached, and the others go before it reaches them.
        const found = new Set([...(await namesIn(path)), ...(await namesIn(path))]);
        return [...found].filter(hasRows).map((name) => join(path, name));
      }),
    );
    return names.flat();
  } catch (error) {
    throw fileError('list', folder, error);
  }
}

function hasRows(name: string): boolean {
  return name.endsWith(ENDING) || nameOfWaiting(name) !== undefined;
}

function folderOf(timeMs: number): string {
  return `${DAY}${lastDayOf(timeMs)}`;
}

/** The names in the folder of a day, which may be removed meanwhile. */
async function namesIn(path: string): Promise<string[]> {
  try {
    return (await readdir(path)).sort();
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

/** A time that has an end on both sides. */
export type FileSpan = Required<{ readonly [End in keyof Span]: number }>;

/** The time in which the rows start that a question asks for in these files, of which there is at least one. */
export function spanOfFiles(files: readonly string[], { sinceMs, untilMs }: Span): FileSpan {
  const days = files.map((path) => Date.parse(basename(dirname(path)).slice(DAY.length)));
  const last = days.reduce((a, b) => Math.max(a, b)) + DAY_MS;
  return {
    sinceMs: Math.max(
      sinceMs ?? 0,
      days.reduce((a, b) => Math.min(a, b)),
    ),
    untilMs: Math.min(untilMs ?? last, last),
  };
}

/** For each file a text that changes when it is replaced; `undefined` when it is missing. */
export function statesOf(files: readonly string[]): Promise<(string | undefined)[]> {
  return Promise.all(files.map(stateOf));
}

async function stateOf(path: string): Promise<string | undefined> {
  try {
    const { ino, mtimeMs, size } = await stat(path);
    return JSON.stringify([ino, mtimeMs, size]);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw fileError('read', path, error);
  }
}
