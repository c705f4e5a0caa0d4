import type { StdinSourceConfig } from '../config/types.ts';
import type { Start } from '../entry.ts';
import { numberReaderOf } from './numbers.ts';

/** Numbers on standard input. Its end is not a failure: the counts stay, and other entries go on. */
export const startStdin: Start<StdinSourceConfig> = async (config, context) => {
  const reader = numberReaderOf(config, context, 'standard input');
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
    async stop() {
      unlisten();
      reader.end();
    },
  };
};
