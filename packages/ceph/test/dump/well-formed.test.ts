import { testUnless } from '@hdrscope/testing';
import { anyCharacter } from '@hdrscope/testing/any-character';
import { lackOfExpat, refusalsOfExpat } from '@hdrscope/testing/xml';
import fc from 'fast-check';
import { formatHistogramDump, formatHistogramSchema, PerfHistogram } from '../../src/index.ts';

const documentsWith = (name: string): string[] => {
  const histogram = new PerfHistogram([{ name, scale: 'linear', min: 0, quantSize: 1, buckets: 2 }]);
  const counter = { name, histogram, description: name, nick: name };
  const loggers = [{ name, counters: [counter] }];
  return (['xml', 'xml-pretty'] as const).flatMap((format) => [
    formatHistogramDump(loggers, { format, release: 'next' }),
    formatHistogramSchema(loggers, { format }),
  ]);
};

testUnless(lackOfExpat())(
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
      fc.string({ unit: anyCharacter, minLength: 1, maxLength: 8 }),
    );
    const names = fc.sample(name, { numRuns: 2000, seed: 17 });
    expect(refusalsOfExpat(names.flatMap(documentsWith))).toBe('');
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
