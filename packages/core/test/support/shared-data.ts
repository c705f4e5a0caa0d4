import { existsSync, readFileSync } from 'node:fs';
import { printOnce } from './print-once.ts';

// Logs of other implementations may lie beside the repository. They are not part of it.
const SHARED = new URL('../../../../../shared/data/', import.meta.url);

/** The text of a shared file; `undefined` when there is no such file. */
function sharedText(path: string): string | undefined {
  const file = new URL(path, SHARED);
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

/** A test over shared files. It is skipped, with the reason, when a file is missing. */
export function testShared(title: string, paths: readonly string[], run: (...texts: string[]) => void): void {
  const texts = paths.map(sharedText);
  const missing = paths.filter((_path, i) => texts[i] === undefined);
  if (missing.length === 0) {
    test(title, () => run(...(texts as string[])));
    return;
  }
  for (const path of missing) printOnce(`skipped: there is no ../shared/data/${path}`);
  test.skip(title, () => {});
}

/** One line of an interval log whose encoding is still text. */
export interface LoggedInterval {
  readonly tag: string | undefined;
  readonly startSeconds: number;
  readonly encoded: string;
}

/** The intervals of a log. Nothing is checked, and there is no base time. */
export function intervalsOf(log: string): LoggedInterval[] {
  return log
    .split(/\r?\n/)
    .filter((line) => line !== '' && !line.startsWith('#') && !line.startsWith('"'))
    .map((line) => {
      const fields = line.trim().split(',');
      const tag = fields[0]!.startsWith('Tag=') ? fields.shift()!.slice(4) : undefined;
      return { tag, startSeconds: Number(fields[0]), encoded: fields[3]! };
    });
}
