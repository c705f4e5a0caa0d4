import { closeSync, constants, fstatSync, openSync } from 'node:fs';
import { Socket } from 'node:net';
import { text } from '../config/values.ts';
import { defineSource, entry, noKernelMaps, type SourcePart } from '../part.ts';
import { attributes, createNumberReader, metric } from './shared.ts';

/** Numbers that other programs write into a named pipe, one program after the other or several at once. */
export const pipe: SourcePart = defineSource({
  schema: entry('pipe', 'Numbers that other programs write into a named pipe.', {
    path: text('the path of a named pipe').describe(
      'A pipe that mkfifo has made. Several programs may write whole lines into it.',
    ),
    metric,
    attributes,
  }),
  example: `
# Numbers that programs write into a named pipe, which mkfifo has made: mydb -l > /run/hdrscope/latencies
- name: latencies
  type: pipe
  path: /run/hdrscope/latencies
  metric:
    name: mydb.duration
    unit: us
`,
  // A number reaches only one of the readers of a pipe.
  origin: () => undefined,
  async start(config, context) {
    const reader = createNumberReader(config, context, config.path);
    const socket = new Socket({ fd: openPipe(config.path), readable: true, writable: false });
    socket.on('data', (bytes) => {
      context.succeeded();
      reader.push(bytes);
    });
    socket.on('error', (error) => context.failed(error));
    return {
      kernelMaps: noKernelMaps,
      async stop() {
        socket.destroy();
        reader.end();
      },
    };
  },
});

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
