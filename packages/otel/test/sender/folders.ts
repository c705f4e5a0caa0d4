import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folders: string[] = [];
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

/** Makes a folder. It is removed when the tests of the file end. */
export async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'hdrscope-queue-'));
  folders.push(folder);
  return folder;
}

/** What a folder has at this moment: a sender over the copy is the next process after a kill. */
export async function copyOf(folder: string): Promise<string> {
  const copy = await newFolder();
  await cp(folder, copy, { recursive: true });
  return copy;
}
