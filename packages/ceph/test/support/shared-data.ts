import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

// What a daemon of Ceph 16.2.15 answered, which may be looked at beside the repository but is no part of it.
const SHARED = new URL('../../../../../shared/', import.meta.url);

/** A test over shared files; it is skipped, and says why, where one is missing. */
export function testShared(title: string, paths: readonly string[], run: (...texts: string[]) => void): void {
  const files = paths.map((path) => fileURLToPath(new URL(path, SHARED)));
  const missing = paths.filter((_path, i) => !existsSync(files[i]!));
  if (missing.length === 0) {
    test(title, () => run(...files.map((file) => readFileSync(file, 'utf8'))));
    return;
  }
  console.log(`skipped "${title}": there is no ${missing.map((path) => `../shared/${path}`).join(', ')}`);
  test.skip(title, () => {});
}
