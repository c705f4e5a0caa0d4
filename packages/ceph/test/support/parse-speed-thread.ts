import { answer, measureLeast, taskOfThread } from '@hdrscope/testing/threads';
import { parseHistogramDump } from '../../src/index.ts';

// How many times as long as JSON.parse the parser of dumps takes. A work is many parses: one takes less than the clock of processor time shows.

const { text, limit } = taskOfThread<{ text: string; limit: number }>();

const repeat = (run: () => unknown) => (): void => {
  for (let i = 0; i < 20; i++) run();
};

const { ours, peer } = await measureLeast(
  { ours: repeat(() => parseHistogramDump(text)), peer: repeat(() => JSON.parse(text)) },
  ({ ours, peer }) => ours < limit * peer,
  { rounds: 100 },
);
answer(ours / peer);
