import { LATENCY, SIZE } from '@hdrscope/testing/osd';
import { answer, fewestBytes, taskOfThread } from '@hdrscope/testing/threads';
import { PerfHistogram } from '../../src/index.ts';

const dimensions = taskOfThread<1 | 2>();
const histogram = new PerfHistogram(dimensions === 1 ? [LATENCY] : [LATENCY, SIZE]);
const values = Float64Array.from({ length: 10_000 }, (_, i) => (i % 10) * 1.000_1 ** i * 1e5);

function inOne(): void {
  for (let n = 0; n < 10; n++) for (let i = 0; i < values.length; i++) histogram.record(values[i]!);
}

function inTwo(): void {
  for (let n = 0; n < 10; n++)
    for (let i = 0; i < values.length; i++) histogram.record(values[i]!, values[i]!);
}

// A tenth of a byte for each record: a boxed number takes more.
answer(fewestBytes(dimensions === 1 ? inOne : inTwo, values.length) < values.length);
