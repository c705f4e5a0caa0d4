/** The files of the worker: those that the page has handed over, and those that a command has written. */
const files = new Map<string, Blob>();

let onRead = (_bytes: number): void => {};

/** Replaces all files. @param countRead Gets the number of bytes of each chunk that a command reads. */
export function fillDisk(given: ReadonlyMap<string, Blob>, countRead: (bytes: number) => void): void {
  files.clear();
  for (const [path, blob] of given) files.set(path, blob);
  onRead = countRead;
}

/** A file that a command has written; `undefined` when it wrote none of this name. */
export function takeWritten(path: string): Blob | undefined {
  return files.get(path);
}

export function writeFile(path: string, parts: readonly (string | Uint8Array)[]): void {
  files.set(path, new Blob(parts as BlobPart[]));
}

/** @throws Error as that of Node.js, with its code and call, when there is no such file */
export function findFile(path: string, syscall: string): Blob {
  const found = files.get(path);
  if (found !== undefined) return found;
  throw Object.assign(new Error(`ENOENT: no such file or directory, ${syscall} '${path}'`), {
    ...{ code: 'ENOENT', syscall, path },
  });
}

/** The paths of the files in a folder. */
export function listFolder(folder: string): string[] {
  return [...files.keys()].filter((path) => path.startsWith(`${folder}/`));
}

/** Notes bytes of a file that were read in another way than by `readFile`. */
export function noteRead(bytes: number): void {
  onRead(bytes);
}

/** Reads a file in chunks. A browser holds a few of them at a time, however long the file is. */
export async function* readFile(path: string): AsyncGenerator<Uint8Array, void> {
  yield* readBlob(findFile(path, 'open'));
}

/** Reads a file, or a part of one, in chunks. */
export async function* readBlob(blob: Blob): AsyncGenerator<Uint8Array, void> {
  const reader = blob.stream().getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      onRead(next.value.length);
      yield next.value;
    }
  } finally {
    await reader.cancel();
  }
}
