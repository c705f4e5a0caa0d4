import { NumberReader } from '@hdrscope/kit/number-reader';
import type { StdinSourceConfig } from '../config/types.ts';
import type { Start } from '../entry.ts';
import { familyOf } from './metric-family.ts';

/** Numbers on standard input. Its end is not a failure: the counts stay, and other entries go on. */
export const startStdin: Start<StdinSourceConfig> = async (config, context) => {
  const { family, scale } = familyOf(config.metric);
  const series = context.registry.histogram(family).with(config.attributes);
  const reader = new NumberReader(
    {
      onNumbers(values, length) {
        for (let i = 0; i < length; i++) series.record(values[i]! * scale);
        context.added(length);
      },
      onBadLine({ lineNumber, text }) {
        const got = `${JSON.stringify(text)} in line ${lineNumber}`;
        context.failed(new Error(`standard input must be numbers, got ${got}`));
      },
    },
    // The series counts negative numbers as rejected.
    { column: 'every', smallest: -Number.MAX_VALUE },
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
