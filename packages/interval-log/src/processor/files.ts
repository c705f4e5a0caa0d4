import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { HdrscopeError } from '@hdrscope/core';
import { assertOptions, type OptionsOwner } from '@hdrscope/core/internal';
import type { OutputFile, ProcessorFiles } from './io.ts';

/**
 * Makes the files of a `ProcessorIo` from the file system of this machine. `create` refuses a file that `openLog` reads.
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
          `the output file must not be the log ${path}, because it would be overwritten: choose another name`,
          { details: { path } },
        );
      }
      return createFile(path);
    },
  };
}

const CREATE_PROCESSOR_FILES: OptionsOwner<{ readonly signal?: AbortSignal }> = {
  name: 'createProcessorFiles',
  names: { signal: true },
  call: 'createProcessorFiles({ signal })',
};

function identity({ dev, ino }: { readonly dev: number; readonly ino: number }): string {
  return `${dev}:${ino}`;
}

async function createFile(path: string): Promise<OutputFile> {
  const handle = await open(path, 'w');
  return {
    write: (text) => handle.writeFile(text),
    close: () => handle.close(),
  };
}
