import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inflateSync } from 'node:zlib';
import { SOURCE_ARGUMENTS } from '../lib/import-source.js';
import { workspaceRoot } from '../lib/workspace.js';

const FOLDER = join(workspaceRoot, 'examples/data');
const WRITTEN_BY_HAND = ['README.md', 'biome.json', 'make.js', 'package.json'];
const files = readdirSync(FOLDER).filter((name) => !WRITTEN_BY_HAND.includes(name));

let made: string;

beforeAll(() => {
  made = mkdtempSync(join(tmpdir(), 'hdrscope-data-'));
  execFileSync(process.execPath, [...SOURCE_ARGUMENTS, 'examples/data/make.js', made], {
    cwd: workspaceRoot,
  });
});

afterAll(() => rmSync(made, { recursive: true }));

/** A file, and its histograms as they are before compression: versions of zlib compress differently. */
function read(folder: string, name: string): string {
  return readFileSync(join(folder, name), 'utf8').replace(/HISTF[\w+/=]+/g, (encoded) => {
    // A cookie and a length of 4 bytes each come before the compressed bytes.
    return inflateSync(Buffer.from(encoded, 'base64').subarray(8)).toString('hex');
  });
}

test('the script makes all files, and README.md names each', () => {
  expect(readdirSync(made)).toEqual(files);
  const readme = read(FOLDER, 'README.md');
  expect(files.filter((name) => !readme.includes(`\`${name}\``))).toEqual([]);
});

test.each(files)('the script makes %s again', (name) => {
  expect(read(made, name) === read(FOLDER, name)).toBe(true);
});

test('the files are small', () => {
  const bytes = readdirSync(FOLDER).map((name) => statSync(join(FOLDER, name)).size);
  expect(bytes.reduce((sum, size) => sum + size)).toBeLessThan(500_000);
});
