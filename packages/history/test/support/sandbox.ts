import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const directories: string[] = [];

/** Makes a directory that is removed after the tests of the file. */
export function newDirectory(): string {
  const path = mkdtempSync(join(tmpdir(), 'hdrscope-history-'));
  directories.push(path);
  return path;
}

afterAll(() => {
  for (const path of directories) rmSync(path, { recursive: true, force: true });
});
