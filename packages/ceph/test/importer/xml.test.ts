import { OSD_DUMP } from '@hdrscope/testing/osd';
import { refusalOf } from '@hdrscope/testing/refusals';
import { formatHistogramDump, parseHistogramDump, parseHistogramLoggers } from '../../src/index.ts';

const xmlOf = (format: 'xml' | 'xml-pretty'): string =>
  formatHistogramDump(parseHistogramLoggers(OSD_DUMP)[0]!.loggers, { format });

test.each(['xml', 'xml-pretty'] as const)('a dump in %s is read as its JSON is', (format) => {
  expect(parseHistogramDump(xmlOf(format))).toEqual(parseHistogramDump(OSD_DUMP));
});

test('a dump in XML is written again byte for byte, with its empty loggers', () => {
  const text =
    '<perfcounter_collection><AsyncMessenger::Worker-0></AsyncMessenger::Worker-0><cct></cct>'.concat(
      xmlOf('xml').slice('<perfcounter_collection>'.length),
    );
  const [{ loggers }] = parseHistogramLoggers(text) as [ReturnType<typeof parseHistogramLoggers>[0]];
  expect(loggers.map(({ name }) => name)).toEqual(['AsyncMessenger::Worker-0', 'cct', 'osd']);
  expect(formatHistogramDump(loggers, { format: 'xml' })).toBe(text);
});

test('the XML of `ceph tell osd.*` has the name of each daemon', () => {
  const text = `osd.0: ${xmlOf('xml')}\nosd.1: ${xmlOf('xml-pretty')}\n`;
  expect(parseHistogramDump(text).map(({ daemon }) => daemon)).toEqual(['osd.0', 'osd.1']);
});

test('an axis of one bucket, and names that are digits, are read', () => {
  const xml =
    '<perfcounter_collection><l><c><axes><axis><name>12</name><min>0</min><quant_size>1</quant_size><buckets>1</buckets>' +
    '<scale_type>linear</scale_type><ranges><bucket></bucket></ranges></axis></axes><values><value>7</value></values></c></l>' +
    '</perfcounter_collection>';
  const [one] = parseHistogramDump(xml);
  expect([one!.histogram.axes[0]!.name, one!.histogram.totalCount]).toEqual(['12', 7]);
});

const inside = (xml: string): string => `<perfcounter_collection><a>${xml}</a></perfcounter_collection>`;

test.each([
  ['that is cut off', inside('<b><axes>').slice(0, 36), /must be XML with .* got the end/],
  ['with an attribute', inside('<b x="1"></b>'), /an element without attributes/],
  ['with a comment', inside('<!-- x --><b></b>'), /an element without attributes/],
  [
    'with a wrong end',
    inside('<b></c>'),
    /^line 1, column 31: the text must be XML with <\/b> here, got "<\/c>/,
  ],
  ['with text beside elements', inside('<b>7<c></c></b>'), /must be XML with <\/b>/],
  ['with two counters of one name', inside('<b></b><b></b>'), /elements of different names in <a>/],
  ['that is too deep', inside('<b>'.repeat(5000)), /at most 64 levels/],
  [
    'with counts that are no numbers',
    inside('<b><axes><axis>x</axis></axes></b>'),
    /axes\[0\] must be an object/,
  ],
])('XML %s is refused', (_, text, message) => {
  expect(refusalOf(() => parseHistogramDump(text), 'ERR_DECODE').message).toMatch(message);
});

test('XML of many elements is refused before it takes memory', () => {
  const text = inside('<b></b>'.repeat(10));
  refusalOf(() => parseHistogramDump(text, { maxElements: 9 }), 'ERR_TOO_LARGE');
});
