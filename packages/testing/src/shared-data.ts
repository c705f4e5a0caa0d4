import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Lack, lack, testUnless } from './needs.ts';

// Logs and answers of other programs. They may lie beside the repository, and are not part of it.
const SHARED = new URL('../../../../shared/', import.meta.url);

/** The path of a shared file or folder, whether it is there or not. */
export function sharedPath(path: string): string {
  return fileURLToPath(new URL(path, SHARED));
}

/** A shared file or folder is not there. `undefined` where it is. */
export function lackOfShared(path: string): Lack | undefined {
  return lack('shared', existsSync(sharedPath(path)) ? undefined : `there is no ../shared/${path}`);
}

/** A test of the texts of shared files. */
export function testShared(
  title: string,
  paths: readonly string[],
  run: (...texts: string[]) => unknown,
): void {
  // Bounded: a test reads few files.
  testUnless(...paths.map(lackOfShared))(title, async () => {
    // Bounded: as above.
    await run(...paths.map((path) => readFileSync(sharedPath(path), 'utf8')));
  });
}
