import { defineSource, entry, noKernelMaps, type SourcePart } from '../part.ts';
import { attributes, createNumberReader, metric } from './shared.ts';

/** Numbers on standard input. Its end is not a failure: the counts stay, and other entries go on. */
export const stdin: SourcePart = defineSource({
  schema: entry('stdin', 'Numbers on standard input, separated by blanks, commas, semicolons or line ends.', {
    metric,
    attributes,
  }),
  example: `
# Numbers on standard input, separated by blanks or lines: seq 100 | hdrscope run hdrscope.yaml
- type: stdin
  metric:
    name: stdin.duration
    unit: ms            # ns, us, ms, s, bytes, KiB or none. Times are shown in seconds, sizes in bytes
  attributes:
    source: stdin
`,
  origin: () => ({ key: 'type', what: 'standard input', id: '' }),
  async start(config, context) {
    const reader = createNumberReader(config, context, 'standard input');
    const unlisten = context.stdin.listen({
      onBytes(bytes) {
        context.succeeded();
        reader.push(bytes);
      },
      onEnd() {
        reader.end();
        context.info('standard input has ended');
      },
      onError: (error) => context.failed(error),
    });
    return {
      kernelMaps: noKernelMaps,
      async stop() {
        unlisten();
        reader.end();
      },
    };
  },
});
