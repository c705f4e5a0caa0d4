import { spawnSync } from 'node:child_process';
import { testUnless } from '@hdrscope/testing/skips';
import fc from 'fast-check';
import { formatHistogramDump, formatHistogramSchema, PerfHistogram } from '../../src/index.ts';

const JUDGE = `
import json, sys
from xml.parsers import expat
for number, text in enumerate(json.load(sys.stdin)):
    try:
        expat.ParserCreate().Parse(text.encode('utf-8'), True)
    except expat.ExpatError as error:
        sys.exit(f'{number}: {error}')
    except UnicodeEncodeError as error:
        sys.exit(f'{number}: {error}')
`;

const hasJudge = spawnSync('python3', ['-c', 'import xml.parsers.expat']).status === 0;
const judged = testUnless(hasJudge ? undefined : 'there is no python3 with expat');

const documentsWith = (name: string): string[] => {
  const histogram = new PerfHistogram([{ name, scale: 'linear', min: 0, quantSize: 1, buckets: 2 }]);
  const counter = { name, histogram, description: name, nick: name };
  const loggers = [{ name, counters: [counter] }];
  return (['xml', 'xml-pretty'] as const).flatMap((format) => [
    formatHistogramDump(loggers, { format, release: 'next' }),
    formatHistogramSchema(loggers, { format }),
  ]);
};

judged(
  'XML is well-formed for every name',
  () => {
    const odd = fc.constantFrom(
      ...[
        '\u0000',
        '\u0007',
        '\t',
        '\n',
        '\r',
        '\u001b[31m',
        '\u007f',
        '\u009b',
        '\u0085',
        '\u202e',
        '\u2028',
      ],
      ...[
        '\ufffe',
        '\uffff',
        '\ud800',
        '\udc00',
        '😀',
        'é',
        '值',
        '::',
        '<',
        '>',
        '&',
        '"',
        "'",
        '/',
        '=',
        '-',
        '.',
        '0',
      ],
      ...[']]>', '<!--', '--', '<?', '&#27;', ' ', 'a', 'б', 'ŉ', 'ſ', '×', '\u0345', '·'],
    );
    const name = fc.oneof(
      fc.array(odd, { minLength: 1, maxLength: 6 }).map((parts) => parts.join('')),
      fc.string({ unit: 'binary', minLength: 1, maxLength: 8 }),
    );
    const names = fc.sample(name, { numRuns: 2000, seed: 17 });
    const texts = names.flatMap(documentsWith);
    const { status, stderr } = spawnSync('python3', ['-c', JUDGE], { input: JSON.stringify(texts) });
    const message = stderr.toString();
    if (status !== 0) throw new Error(`${message}of ${JSON.stringify(texts[Number.parseInt(message, 10)])}`);
  },
  60_000,
);

test('control characters of a name are visible in XML', () => {
  const [dump] = documentsWith('v\u001b[31mRED\u202e');
  expect(dump).toContain('<name>v\\x1b[31mRED\\u202e</name>');
  expect(dump).toContain('<v__31mRED_>');
});

test('names of Ceph are written as they are', () => {
  const [dump] = documentsWith('AsyncMessenger::Worker-0');
  expect(dump).toContain('<AsyncMessenger::Worker-0><AsyncMessenger::Worker-0><axes>');
});
