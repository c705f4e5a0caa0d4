import { answer, fewestBytes, taskOfThread } from '@hdrscope/testing/threads';
import { DoubleHistogram } from '../../src/histogram/double-histogram.ts';

const storage = taskOfThread<'dense' | 'sparse'>();
const histogram = new DoubleHistogram({ storage });
const values = Float64Array.from({ length: 10_000 }, (_, i) => (i % 10) * 1.000_1 ** i);

function run(): void {
  for (let n = 0; n < 10; n++) for (let i = 0; i < values.length; i++) histogram.record(values[i]!);
}

// A tenth of a byte for each record: a boxed number takes more.
answer(fewestBytes(run, values.length) < values.length);
