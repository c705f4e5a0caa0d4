import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Histogram } from '@hdrscope/core';
import { usedSlots } from '@hdrscope/core/internal';
import { describeWithPeers, programOf } from '@hdrscope/testing';
import { convertSketch, encodeDdsketchBinary, measureRange, planDdsketch } from '../../src/internal.ts';
import type { DdsketchWriter } from '../../src/sketches/index.ts';

// A thousand values over six powers of ten, from a hundred microseconds on.
const histogram = new Histogram({ autoResize: true });
for (let at = 0; at < 1000; at++) histogram.record(Math.floor(100 * 10 ** ((6 * at) / 999)), 1 + (at % 3));

const QUANTILES = [0, 0.25, 0.5, 0.9, 0.99, 1];
const ACCURACY = 0.01;

/** A DDSketch of the histogram, for the library that shall read it. */
function write(writer: DdsketchWriter, encode?: typeof encodeDdsketchBinary) {
  const counted = { layout: histogram.layout, counts: histogram.counts };
  const target = planDdsketch(measureRange(counted), { writer, relativeAccuracy: ACCURACY }, encode);
  return convertSketch({ counted }, target);
}

/** Asserts that a library has read the quantiles of the recorded values, within its accuracy and that of the histogram. */
function expectQuantiles(quantiles: readonly number[]): void {
  const sorted = Array.from(usedSlots(histogram.counts)).flatMap(([slot, count]) =>
    new Array<number>(count).fill(histogram.layout.midpoint(slot)),
  );
  for (const [at, quantile] of QUANTILES.entries()) {
    // Libraries take the value below or above a rank that is no integer.
    const rank = quantile * (sorted.length - 1);
    const [low, high] = [sorted[Math.floor(rank)]!, sorted[Math.ceil(rank)]!];
    expect(quantiles[at]!).toBeGreaterThanOrEqual(low * (1 - ACCURACY - 0.002));
    expect(quantiles[at]!).toBeLessThanOrEqual(high * (1 + ACCURACY + 0.002));
  }
}

function ask(peer: 'sketches-go' | 'sketches-python', bytes: Uint8Array, encoding = 'protobuf') {
  const request = {
    do: 'read',
    encoding,
    bytes: Buffer.from(bytes).toString('base64'),
    quantiles: QUANTILES,
  };
  return JSON.parse(
    execFileSync(programOf(peer), { input: `${JSON.stringify(request)}\n`, encoding: 'utf8' }),
  );
}

describe.each([
  ['sketches-go', 'sketches-go', 'protobuf'],
  ['sketches-go', 'sketches-go', 'binary'],
  ['sketches-python', 'sketches-py', 'protobuf'],
] as const)('a DDSketch for %s', (peer, writer, encoding) => {
  describeWithPeers([peer])(`that hdrscope has written as ${encoding}`, () => {
    test('has the same slots, counts and quantiles there', () => {
      const { content, counted } = write(writer, encoding === 'binary' ? encodeDdsketchBinary : undefined);
      const { slots, quantiles } = ask(peer, content as Uint8Array, encoding);
      const ours = Array.from(usedSlots(counted.counts), ([slot, count]) => [
        counted.layout.lower(slot),
        counted.layout.upper(slot),
        count,
      ]);
      expect(slots.map(([, , count]: number[]) => count)).toEqual(ours.map(([, , count]) => count));
      for (const [at, [lower, upper]] of slots.entries()) {
        expect(Math.abs(ours[at]![0]! / lower - 1)).toBeLessThan(1e-12);
        expect(Math.abs(ours[at]![1]! / upper - 1)).toBeLessThan(1e-12);
      }
      expectQuantiles(quantiles);
    });
  });
});

describeWithPeers(['sketches-js'])('a DDSketch for sketches-js that hdrscope has written', () => {
  test('has the same count and quantiles there', () => {
    const load = createRequire(join(programOf('sketches-js'), 'index.js'));
    const { DDSketch } = load('@datadog/sketches-js');
    const sketch = DDSketch.fromProto(write('sketches-js').content);
    expect(sketch.count).toBe(histogram.totalCount);
    expectQuantiles(QUANTILES.map((quantile) => sketch.getValueAtQuantile(quantile)));
  });

  test('of another writer is a slot apart there', () => {
    const load = createRequire(join(programOf('sketches-js'), 'index.js'));
    const { DDSketch } = load('@datadog/sketches-js');
    const [right, wrong] = (['sketches-js', 'sketches-go'] as const).map((writer) =>
      DDSketch.fromProto(write(writer).content).getValueAtQuantile(0.5),
    );
    expect(wrong / right).toBeCloseTo((1 - ACCURACY) / (1 + ACCURACY), 9);
  });
});
