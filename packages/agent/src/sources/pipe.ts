import { closeSync, constants, fstatSync, openSync } from 'node:fs';
import { Socket } from 'node:net';
import type { PipeSourceConfig } from '../config/types.ts';
import type { Start } from '../entry.ts';
import { numberReaderOf } from './numbers.ts';

/** Numbers that other programs write into a named pipe, one program after the other or several at once. */
export const startPipe: Start<PipeSourceConfig> = async (config, context) => {
  const reader = numberReaderOf(config, context, config.path);
  const socket = new Socket({ fd: openPipe(config.path), readable: true, writable: false });
  socket.on('data', (bytes) => {
    context.succeeded();
    reader.push(bytes);
  });
  socket.on('error', (error) => context.failed(error));
  return {
    async stop() {
      socket.destroy();
      reader.end();
    },
  };
};

/**
 * Opens a named pipe. It is open for writing too, so that it never ends: otherwise the last writer that closes it would end the reading.
 *
 * @throws Error when the path is something else.
 */
function openPipe(path: string): number {
  const fd = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
  if (fstatSync(fd).isFIFO()) return fd;
  closeSync(fd);
  throw new Error(`${path} must be a named pipe: mkfifo makes one`);
}
