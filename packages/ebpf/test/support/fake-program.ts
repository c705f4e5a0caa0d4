import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder for programs that tests write. It exists while the tests of a file run. */
export function usePrograms(): { write(name: string, source: string): string; path(name: string): string } {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'hdrscope-'));
    // The programs are CommonJS, whatever a package.json above this folder says.
    writeFileSync(join(folder, 'package.json'), '{}');
  });
  afterAll(() => rmSync(folder, { recursive: true }));
  const path = (name: string): string => join(folder, name);
  return {
    path,
    /** @param source JavaScript, in which `args` are the arguments of the program. */
    write: (name, source) => {
      const lines = [`#!${process.execPath}`, 'const args = process.argv.slice(2);', source];
      writeFileSync(path(name), lines.join('\n'));
      chmodSync(path(name), 0o755);
      return path(name);
    },
  };
}

/** Reads until the value is wanted, for 30 seconds at most. */
export async function eventually<T>(read: () => T | Promise<T>, isWanted: (value: T) => boolean): Promise<T> {
  for (let i = 0; ; i++) {
    const value = await read();
    if (isWanted(value) || i === 3000) return value;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
