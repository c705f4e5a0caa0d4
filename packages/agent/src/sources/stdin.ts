import type { StdinSourceConfig } from '../config/types.ts';
import type { Start } from '../entry.ts';
import { familyOf } from './metric-family.ts';
import { numberReader } from './numbers.ts';

/** Numbers on standard input. Its end is no failure: what was counted stays, and the others go on. */
export const startStdin: Start<StdinSourceConfig> = async (config, context) => {
  const { family, scale } = familyOf(config.metric);
  const series = context.registry.histogram(family).with(config.attributes);
  const reader = numberReader(
    (value) => series.record(value * scale),
    (word) => context.failed(new Error(`standard input must be numbers, got ${JSON.stringify(word)}`)),
  );
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
