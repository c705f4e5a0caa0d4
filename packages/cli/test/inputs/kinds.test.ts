import { Histogram } from '@hdrscope/core';
import { type FoundKind, kindOf } from '../../src/inputs/kinds.ts';
import { intervalLine } from '../support/logs.ts';

const LINE = intervalLine({ at: 0, ms: [1, 2] });
const ENCODED = new Histogram().toBase64();
const TABLE =
  '       Value     Percentile TotalCount 1/(1-Percentile)\n\n       1.000 0.000000000000          1           1.00\n';

test.each<[string, FoundKind | undefined, string]>([
  ['a log', 'log', `#[StartTime: 1 (seconds since epoch)]\n${LINE}`],
  ['percentile text', 'percentiles', TABLE],
  ['a histogram', 'encoded', `${ENCODED}\n`],
  ['histograms in a line', 'encoded', `${ENCODED} ${ENCODED}\n`],
  ['numbers', 'numbers', '12\n0.5\n'],
  ['numbers of other notations', 'numbers', '\t+.5e-3 \r\n'],
  ['numbers below a header', 'numbers', '# of today\n\nlatency\n12\n'],
  ['a document', 'json', ' {"kind":"bars"}'],
  ['documents', 'json', '[1,\n2]\n'],
  ['a dump of Ceph with text around it', 'json', '*** developer setup ***\nosd.0: "axes": [\n'],
  ['nothing', undefined, ''],
  ['words', undefined, 'some\nwords\n12\n'],
  ['a line that may be the beginning of a log', undefined, '12'],
  ['the time of an interval', undefined, '0.127,1.007,2.769,\n'],
  ['comments', undefined, '#[StartTime: 1]\n# 12\n'],
  ['the output of wrk', 'percentiles without counts', '  Latency Distribution\n     50%  250.00us\n'],
])('recognises %s', (_, kind, text) => {
  expect(kindOf(text, false)).toBe(kind);
});

test('a number at the end of a text needs no newline', () => {
  expect(kindOf('# ms\n12', true)).toBe('numbers');
  expect(kindOf('# ms\nsoon', true)).toBeUndefined();
});

test('a text that begins with a number and goes on as a log is a log', () => {
  expect(kindOf(`12\n${LINE}`, true)).toBe('log');
});

test.each([
  ['digits', '1'.repeat(2 ** 16)],
  ['digits and a letter', `${'1'.repeat(2 ** 16)}x\n`],
  ['blanks', ' '.repeat(2 ** 16)],
  ['empty lines', '\n'.repeat(2 ** 16)],
  ['an encoding and blanks', `HISTFAAA${' '.repeat(2 ** 16)}\u0000`],
  ['names of an axis', '"axes" '.repeat(2 ** 13)],
])('looks at a long text of %s in no time', (_, text) => {
  const start = performance.now();
  kindOf(text, true);
  expect(performance.now() - start).toBeLessThan(300);
});
