import { caseCount } from '@hdrscope/testing/case-count';
import fc from 'fast-check';
import { Histogram } from '../../src/histogram/histogram.ts';
import { toHex } from '../support/bytes.ts';
import { decodeAnything, mutated, mutations } from '../support/hostile.ts';
import { recorded } from '../support/recorded.ts';
import { recordings } from '../support/values.ts';

const histograms = fc
  .tuple(recordings(2 ** 40, 12), fc.nat(3), fc.nat(12))
  .map(([recording, significantDigits, unit]) =>
    recorded(recording, { significantDigits, lowestDiscernibleValue: 2 ** unit, storage: 'sparse' }),
  );

describe('an encoding with a few bytes changed', () => {
  test('is decoded as another histogram, or refused', () => {
    const numRuns = caseCount(300, 2000);
    let refused = 0;
    fc.assert(
      fc.property(histograms, mutations, (histogram, changes) => {
        if (decodeAnything(mutated(histogram.encode(), changes)) === undefined) refused++;
      }),
      { numRuns },
    );
    expect(refused).toBeGreaterThan(numRuns / 10);
  });

  test('is refused when it was compressed, or is read as the same histogram', () => {
    fc.assert(
      fc.property(histograms, mutations, (histogram, changes) => {
        const decoded = decodeAnything(mutated(histogram.encodeCompressed(), changes));
        if (decoded !== undefined) expect(toHex(decoded.encode())).toBe(toHex(histogram.encode()));
      }),
      { numRuns: caseCount(200, 1000) },
    );
  });

  test('is decoded or refused as text', () => {
    fc.assert(
      fc.property(histograms, mutations, (histogram, changes) => {
        const characters = Uint8Array.from(histogram.toBase64(), (character) => character.charCodeAt(0));
        decodeAnything(String.fromCharCode(...mutated(characters, changes)));
      }),
      { numRuns: caseCount(100, 500) },
    );
  });

  test('is refused when cut off anywhere', () => {
    const histogram = recorded([
      [1, 2 ** 40],
      [1000, 3],
      [1e9, 2 ** 33],
    ]);
    for (const whole of [histogram.encode(), histogram.encodeCompressed()]) {
      for (let end = 0; end < whole.length; end++) {
        if (decodeAnything(whole.subarray(0, end)) !== undefined)
          expect(end).toBe('a length that is refused');
      }
    }
    expect(Histogram.decode(histogram.encode()).totalCount).toBe(histogram.totalCount);
  });
});
