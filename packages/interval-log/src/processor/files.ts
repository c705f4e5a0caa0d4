import { createReadStream } from 'node:fs';
import { type FileHandle, lstat, open, realpath, rename, stat, unlink } from 'node:fs/promises';
import { HdrscopeError } from '@hdrscope/core';
import { assertOptions, type OptionsOwner } from '@hdrscope/core/internal';
import { abortSignal } from '../follow/follow.ts';
import type { OutputFile, ProcessorFiles } from './io.ts';

/**
 * Makes the files of a `ProcessorIo` from the file system of this machine. `create` refuses a file that `openLog` reads. A file that
 * `create` makes appears when it is closed, unless a write has failed, and has the mode of the file that it replaces.
 *
 * @param options `signal` ends the reading of logs; the processor writes what it has read. @default reading ends with the log
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option does not exist.
 */
export function createProcessorFiles(options: { readonly signal?: AbortSignal } = {}): ProcessorFiles {
  assertOptions(options, CREATE_PROCESSOR_FILES);
  const { signal } = options;
  const logs = new Set<string>();
  return {
    async openLog(path) {
      const handle = await open(path);
      try {
        const found = await handle.stat();
        if (found.isDirectory())
          throw new HdrscopeError('ERR_INVALID_OPTION', `${path} must be a log, and is a directory`, {
            details: { path },
          });
        logs.add(identity(found));
        // The handle, because the path may lead to another file by now.
        const options = { fd: handle, highWaterMark: 2 ** 18, ...(signal && { signal }) };
        // The reader gets an error of the stream. The listener keeps an error before the first read from ending the process.
        const source = createReadStream(path, options).on('error', () => {});
        return { source, close: () => source.destroy() };
      } catch (error) {
        await handle.close();
        throw error;
      }
    },
    async create(path) {
      const found = await stat(path).catch(() => undefined);
      if (found !== undefined && logs.has(identity(found))) {
        throw new HdrscopeError(
          'ERR_INVALID_OPTION',
          `the output file (outputPath) must not be the log ${path}, because it would be overwritten: choose another name`,
          { details: { path } },
        );
      }
      return createFile(path);
    },
  };
}

const CREATE_PROCESSOR_FILES: OptionsOwner<{ readonly signal?: AbortSignal }> = {
  name: 'createProcessorFiles',
  names: { signal: abortSignal },
  call: 'createProcessorFiles({ signal })',
};

function identity({ dev, ino }: { readonly dev: number; readonly ino: number }): string {
  return `${dev}:${ino}`;
}

/**
 * Makes a file that has another name until it is closed, so that nobody reads a part of it. When a write has failed, closing removes
 * it, and a file that it was to replace stays.
 */
async function createFile(path: string): Promise<OutputFile> {
  // A symbolic link stays, and leads to the new file.
  const target = await realpath(path).catch(() => path);
  const replaced = await lstat(target).catch(() => undefined);
  // A pipe, a terminal, a link to a file that does not exist yet.
  if (replaced !== undefined && !replaced.isFile()) return writtenInPlace(path);
  const unfinished = `${target}.${process.pid}.unfinished`;
  let handle: FileHandle;
  try {
    handle = await open(unfinished, 'w', replaced && replaced.mode & 0o777);
  } catch {
    // The directory takes no other file, though the file itself may be writable. The error has the name that was given.
    return writtenInPlace(path);
  }
  if (replaced !== undefined) {
    // Each fails for a process without the right to it.
    await handle.chown(replaced.uid, replaced.gid).catch(() => {});
    await handle.chmod(replaced.mode & 0o777).catch(() => {});
  }
  let hasFailed = false;
  return {
    async write(text) {
      try {
        await handle.writeFile(text);
      } catch (error) {
        hasFailed = true;
        throw error;
      }
    },
    async close() {
      await handle.close();
      if (hasFailed) await unlink(unfinished);
      else await rename(unfinished, target);
    },
  };
}

async function writtenInPlace(path: string): Promise<OutputFile> {
  const handle = await open(path, 'w');
  return {
    write: (text) => handle.writeFile(text),
    close: () => handle.close(),
  };
}
