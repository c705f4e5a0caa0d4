import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

// Answers of a daemon of Ceph 16.2.15. They can lie beside the repository, but are not part of it.
const SHARED = new URL('../../../../../shared/', import.meta.url);

/** A test over shared files. It is skipped, with the reason, when one of them is missing. */
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
