import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { replaceFiles } from '../../src/files/index.ts';

describe('replaceFiles', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'hdrscope-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const { signal } = new AbortController();

  test('writes files that are there and files that are new', async () => {
    writeFileSync(join(folder, 'a'), 'before');
    const files = ['a', 'b'].map((name) => ({ path: join(folder, name), parts: ['new ', name] }));
    await replaceFiles(files, signal);
    expect(files.map(({ path }) => readFileSync(path, 'utf8'))).toEqual(['new a', 'new b']);
    expect(readdirSync(folder)).toEqual(['a', 'b']);
  });

  test('changes nothing when one of them cannot be written', async () => {
    writeFileSync(join(folder, 'a'), 'before');
    mkdirSync(join(folder, 'sub'));
    const broken = {
      async *[Symbol.asyncIterator]() {
        yield 'x';
        throw new Error('no more');
      },
    };
    const bad = [
      { path: join(folder, 'none/b'), parts: ['after'] },
      { path: join(folder, 'sub/b'), parts: broken },
    ];
    for (const other of bad) {
      await expect(
        replaceFiles([{ path: join(folder, 'a'), parts: ['after'] }, other], signal),
      ).rejects.toThrow();
      expect(readFileSync(join(folder, 'a'), 'utf8')).toBe('before');
      expect(readdirSync(folder)).toEqual(['a', 'sub']);
      expect(readdirSync(join(folder, 'sub'))).toEqual([]);
    }
  });
});
