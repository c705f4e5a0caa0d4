import { costOf } from '@hdrscope/testing/cost';
import { ENCODED, logOf } from '../support/logs.ts';
import { brief, entriesOf } from '../support/read.ts';

const INTERVAL = `1 interval - 0.127 1.007 2.769 ${ENCODED}`;

describe('an interval', () => {
  test.each([
    ['as writers write it', `0.127,1.007,2.769,${ENCODED}\n`, INTERVAL],
    ['with a carriage return', `0.127,1.007,2.769,${ENCODED}\r\n`, INTERVAL],
    ['without a newline at the end', `0.127,1.007,2.769,${ENCODED}`, INTERVAL],
    ['with spaces around it', `  0.127,1.007,2.769,${ENCODED}   \n`, INTERVAL],
    ['with spaces for commas', `0.127 1.007 2.769 ${ENCODED}\n`, INTERVAL],
    ['with spaces after commas', `0.127, 1.007, 2.769, ${ENCODED}\n`, INTERVAL],
    ['with integers', `5,1,2,${ENCODED}\n`, `1 interval - 5 1 2 ${ENCODED}`],
    ['with exponents', `1.5e3,1E0,2e-1,${ENCODED}\n`, `1 interval - 1500 1 0.2 ${ENCODED}`],
    ['with signs', `-0.5,+1,-2,${ENCODED}\n`, `1 interval - -0.5 1 -2 ${ENCODED}`],
    ['without digits before or after a point', `.5,1.,0,${ENCODED}\n`, `1 interval - 0.5 1 0 ${ENCODED}`],
    ['with fields after the histogram', `1,1,2,${ENCODED},x, 7\n`, `1 interval - 1 1 2 ${ENCODED}`],
    ['with a tag and a fifth field', `Tag=a,1,1,2,${ENCODED} x\n`, `1 interval a 1 1 2 ${ENCODED}`],
    ['with an infinite maximum', `1,1,Infinity,${ENCODED}\n`, `1 interval - 1 1 Infinity ${ENCODED}`],
    ['with NaN as its maximum', `1,1,NaN,${ENCODED}\n`, `1 interval - 1 1 NaN ${ENCODED}`],
    ['with a tag', `Tag=get,1,1,2,${ENCODED}\n`, `1 interval get 1 1 2 ${ENCODED}`],
    ['with an empty tag', `Tag=,1,1,2,${ENCODED}\n`, `1 interval  1 1 2 ${ENCODED}`],
    ['with a tag that holds an equals sign', `Tag=a=b,1,1,2,${ENCODED}\n`, `1 interval a=b 1 1 2 ${ENCODED}`],
    [
      'with a tag in another script',
      `Tag=größe-日本,1,1,2,${ENCODED}\n`,
      `1 interval größe-日本 1 1 2 ${ENCODED}`,
    ],
  ])('%s is read', (_, text, expected) => {
    expect(entriesOf(text).map(brief)).toEqual([expected]);
  });

  test('without a tag differs from one with an empty tag', () => {
    const tags = entriesOf(`1,1,2,${ENCODED}\nTag=,1,1,2,${ENCODED}\n`).map(
      (entry) => entry.kind === 'interval' && entry.tag,
    );
    expect(tags).toEqual([undefined, '']);
  });
});

describe('the error of a malformed line names the line and the fault', () => {
  test.each([
    [
      '0.127,1.007,2.769',
      'an interval must be [Tag=TAG,]TIMESTAMP,LENGTH,MAX,HISTOGRAM, got 3 fields in "0.127,1.007,2.769"',
    ],
    ['Tag=two words,1,1,2,H', 'the timestamp must be a number of seconds, got "words"'],
    [
      `"${','.repeat(1000)}`,
      `a legend must name at most 1000 columns, got more in "\\"${','.repeat(59)}"… (1001 characters)`,
    ],
    ['NaN,1,1,H', 'the timestamp must be a number of seconds, got "NaN"'],
    ['x,1,1,H', 'the timestamp must be a number of seconds, got "x"'],
    ['0x10,1,1,H', 'the timestamp must be a number of seconds, got "0x10"'],
    ['1e300,1,1,H', 'the timestamp must be a number of seconds, got "1e300"'],
    ['Infinity,1,1,H', 'the timestamp must be a number of seconds, got "Infinity"'],
    ['1,NaN,1,H', 'the interval length must be a number of seconds, got "NaN"'],
    ['1,1,much,H', 'the interval maximum must be a number, got "much"'],
    ['#[StartTime: soon]', 'the StartTime must be a number of seconds since 1970, got "soon"'],
    ['#[BaseTime: ]', 'the BaseTime must be a number of seconds since 1970, got ""'],
    [
      '\u0000\u0000\u0000',
      'an interval must be [Tag=TAG,]TIMESTAMP,LENGTH,MAX,HISTOGRAM, got 1 fields in "\\u0000\\u0000\\u0000"',
    ],
    [
      `1,1,${'9'.repeat(100)}x,H`,
      `the interval maximum must be a number, got "${'9'.repeat(60)}"… (101 characters)`,
    ],
  ])('%j', (line, message) => {
    const [entry] = entriesOf(`#\n${line}\n`).slice(1);
    expect(entry).toMatchObject({
      kind: 'malformed',
      lineNumber: 2,
      error: { code: 'ERR_LOG_FORMAT', message: `line 2: ${message}` },
    });
  });
});

test.each([
  ['1,2,3', { line: 1, text: '1,2,3' }],
  [`1,1,${'9'.repeat(100)}x,H`, { line: 1, field: 'interval maximum', text: '9'.repeat(60) }],
  ['#[StartTime: soon]', { line: 1, field: 'StartTime', text: 'soon' }],
])('the error of %j has the line, the field and the text as details', (line, details) => {
  expect(entriesOf(line)).toMatchObject([{ error: { details } }]);
});

describe('a note', () => {
  test.each([
    [
      '#[StartTime: 1441812279.474 (seconds since epoch), Wed Sep 09 15:24:39 UTC 2015]',
      '1 start-time 1441812279.474',
    ],
    ['#[StartTime: 1441812279 (seconds since epoch)]', '1 start-time 1441812279'],
    ['#[StartTime:1441812279.5]', '1 start-time 1441812279.5'],
    ['#[BaseTime: 1441812279.000 (seconds since epoch)]', '1 base-time 1441812279'],
    ['#[BaseTime: 1.5e9 (seconds since epoch)]', '1 base-time 1500000000'],
    ['#[Histogram log format version 1.3]', '1 comment [Histogram log format version 1.3]'],
    ['#', '1 comment '],
    ['  # indented', '1 comment  indented'],
    ['#[Start Time: 5]', '1 comment [Start Time: 5]'],
    [
      '"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"',
      '1 legend StartTimestamp|Interval_Length|Interval_Max|Interval_Compressed_Histogram',
    ],
    [
      '"StartTimestamp","EndTimestamp","Interval_Max","Interval_Compressed_Histogram"',
      '1 legend StartTimestamp|EndTimestamp|Interval_Max|Interval_Compressed_Histogram',
    ],
    ['"Tag","StartTimestamp"', '1 legend Tag|StartTimestamp'],
  ])('%j is read', (line, expected) => {
    expect(entriesOf(`${line}\n`).map(brief)).toEqual([expected]);
  });
});

test.each([
  ['digits', '1'.repeat(4_000_000)],
  ['digits before another character', `${'1'.repeat(4_000_000)}x,1,1,H`],
  ['digits of a start time', `#[StartTime: ${'0'.repeat(4_000_000)}x`],
  ['spaces of a start time', `#[StartTime: ${' '.repeat(4_000_000)}x`],
  ['commas', `Tag=${','.repeat(4_000_000)}x`],
  ['fields', '1,'.repeat(2_000_000)],
  ['columns', `"${'a,'.repeat(2_000_000)}`],
  ['quotes', '"'.repeat(4_000_000)],
  ['spaces', `1${' '.repeat(4_000_000)}x`],
  ['a number with an exponent', `${'1'.repeat(2_000_000)}e${'1'.repeat(2_000_000)}x,1,1,H`],
])('a line of 4 MB of %s costs little', (_, line) => {
  // A tenth of a second on an idle machine. The square of the length would take minutes.
  expect(costOf(() => entriesOf(line)).cpuMs).toBeLessThan(2500);
});

test('blank lines have no entry, and count as lines', () => {
  expect(entriesOf('\n\r\n   \n#a\n\n#b').map(brief)).toEqual(['4 comment a', '6 comment b']);
});

test('a malformed line leaves its neighbours as they are', () => {
  const lines = logOf(3).split('\n');
  lines[5] = 'half a li';
  expect(entriesOf(lines.join('\n')).map(({ kind }) => kind)).toEqual([
    'comment',
    'comment',
    'base-time',
    'legend',
    'interval',
    'malformed',
    'interval',
  ]);
});

describe('byte order marks', () => {
  test('are skipped at the start of each line, as in a file joined from several', () => {
    const log = `\uFEFF#a\n\uFEFF1,1,2,${ENCODED}\n`;
    expect(entriesOf(log).map(({ kind }) => kind)).toEqual(['comment', 'interval']);
  });
});
