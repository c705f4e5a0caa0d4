import { Histogram } from '@hdrscope/core';
import { formatInterval } from '@hdrscope/interval-log';
import { costOf } from '@hdrscope/testing/cost';
import { type InputForm, recogniseInput } from '../src/index.ts';

const LINE = formatInterval(new Histogram({ highestTrackableValue: 10 }), { startSec: 0, endSec: 1 });
const ENCODED = new Histogram().toBase64();
const TABLE =
  '       Value     Percentile TotalCount 1/(1-Percentile)\n\n       1.000 0.000000000000          1           1.00\n';

test.each<[string, InputForm | undefined, string]>([
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
  ['a log without an interval', 'log', '#[Histogram log format version 1.3]\n'],
  ['comments', undefined, '#[StartTime: 1]\n# 12\n'],
  ['the output of wrk', 'percentiles without counts', '  Latency Distribution\n     50%  250.00us\n'],
])('recognises %s', (_, kind, text) => {
  expect(recogniseInput(text)).toBe(kind);
});

test('a number at the end of a text needs no newline', () => {
  expect(recogniseInput('# ms\n12', { isWhole: true })).toBe('numbers');
  expect(recogniseInput('# ms\nsoon', { isWhole: true })).toBeUndefined();
});

test('a text that begins with a number and goes on as a log is a log', () => {
  expect(recogniseInput(`12\n${LINE}`, { isWhole: true })).toBe('log');
});

test.each([
  ['digits', '1'.repeat(2 ** 16)],
  ['digits and a letter', `${'1'.repeat(2 ** 16)}x\n`],
  ['blanks', ' '.repeat(2 ** 16)],
  ['empty lines', '\n'.repeat(2 ** 16)],
  ['an encoding and blanks', `HISTFAAA${' '.repeat(2 ** 16)}\u0000`],
  ['names of an axis', '"axes" '.repeat(2 ** 13)],
])('looks at a long text of %s in no time', (_, text) => {
  expect(costOf(() => recogniseInput(text, { isWhole: true })).cpuMs).toBeLessThan(300);
});

test('takes bytes as well as texts', () => {
  expect(recogniseInput(new TextEncoder().encode(LINE))).toBe('log');
});
