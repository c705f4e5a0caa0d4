import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { HdrscopeError } from '@hdrscope/core';
import type { OutputFile, ProcessorFiles } from './io.ts';

/**
 * The files of this machine.
 *
 * @param options `signal`: ends the reading of logs; what was read by then is written. @default none
 */
export function createProcessorFiles({ signal }: { readonly signal?: AbortSignal } = {}): ProcessorFiles {
  const logs = new Set<string>();
  return {
    async openLog(path) {
      const handle = await open(path);
      try {
        const found = await handle.stat();
        if (found.isDirectory())
          throw new HdrscopeError('ERR_INVALID_OPTION', `${path} is a directory, not a log`);
        logs.add(identity(found));
        // Of the handle, as the path may name another file by then.
        const options = { fd: handle, highWaterMark: 2 ** 18, ...(signal && { signal }) };
        // Whoever reads is told of an error, which nobody has to be before that.
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
          `${path} is the log that is read: it would be overwritten`,
        );
      }
      return createFile(path);
    },
  };
}

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
