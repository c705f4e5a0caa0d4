import fc from 'fast-check';
import type { EscapingScheme } from '../src/escaping.ts';
import { type ExpositionFormat, formatContentType, negotiate } from '../src/index.ts';

const PROTOBUF = 'application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited';

test.each<[who: string, accept: string | undefined, format: ExpositionFormat]>([
  ['no header', undefined, 'text'],
  ['an empty header', '', 'text'],
  [
    'Prometheus 2.42',
    'application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1',
    'openmetrics',
  ],
  [
    'Prometheus 2.42 with native histograms',
    `${PROTOBUF},application/openmetrics-text;version=1.0.0;q=0.8,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1`,
    'protobuf',
  ],
  [
    'Prometheus 3 with native histograms',
    `${PROTOBUF};q=0.6,application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.5,application/openmetrics-text;version=0.0.1;q=0.4,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.3,text/plain;version=0.0.4;q=0.2,*/*;q=0.1`,
    'protobuf',
  ],
  [
    'Prometheus 3',
    'application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,application/openmetrics-text;version=0.0.1;q=0.5,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2',
    'openmetrics',
  ],
  [
    'Prometheus 3.16 with OpenMetrics 2.0 first',
    'application/openmetrics-text;version=2.0.0;escaping=allow-utf-8;q=0.7,application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,*/*;q=0.5',
    'openmetrics2',
  ],
  ['a browser', 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8', 'text'],
  ['curl', '*/*', 'text'],
  [
    'Prometheus 3 with text 1.0.0 first',
    'text/plain;version=1.0.0;escaping=allow-utf-8;q=0.6,application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.5,*/*;q=0.4',
    'text1',
  ],
  ['text 1.0.0 refused', 'text/plain;version=1.0.0;q=0, text/plain;version=0.0.4;q=0.1', 'text'],
  ['text of an unknown version', 'text/plain;version=1.1.0', 'text'],
  ['our content type of text', formatContentType('text'), 'text'],
  ['our content type of text 1.0.0', formatContentType('text1'), 'text1'],
  ['our content type of OpenMetrics', formatContentType('openmetrics'), 'openmetrics'],
  ['our content type of OpenMetrics 2.0', formatContentType('openmetrics2'), 'openmetrics2'],
  ['our content type of protobuf', formatContentType('protobuf'), 'protobuf'],

  ['the heavier of two', 'text/plain;q=0.4, application/openmetrics-text;q=0.5', 'openmetrics'],
  ['equally heavy: the first', 'text/plain;q=0.5, application/openmetrics-text;q=0.5', 'text'],
  ['equally heavy: the first, turned round', 'application/openmetrics-text, text/plain', 'openmetrics'],
  ['no version', 'application/openmetrics-text', 'openmetrics'],
  ['an unknown version', 'application/openmetrics-text;version=3.0.0, text/plain;q=0.1', 'text'],
  ['an old version', 'application/openmetrics-text;version=0.0.1', 'text'],
  [
    'protobuf as text',
    'application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=text',
    'text',
  ],
  ['another message', 'application/vnd.google.protobuf;proto=x.Y;encoding=delimited', 'text'],
  ['protobuf without parameters', 'application/vnd.google.protobuf', 'text'],
  ['capitals and blanks', ' Application/OpenMetrics-Text ; Version = "1.0.0" ; Q = 1.0 ', 'openmetrics'],
  ['quotes around separators', 'a/b;c="x,y;z\\"", application/openmetrics-text', 'openmetrics'],
  ['a wildcard subtype', 'application/*', 'openmetrics'],
  ['OpenMetrics refused, all others allowed', 'application/openmetrics-text;q=0, */*', 'text'],
  ['OpenMetrics refused, its wildcard allowed', 'application/openmetrics-text;q=0.0, application/*', 'text'],
  ['only an unknown type', 'image/png', 'text'],
  ['everything refused', '*/*;q=0', 'text'],

  ['a weight that is not a number', 'application/openmetrics-text;q=high', 'text'],
  ['a weight above 1', 'application/openmetrics-text;q=2', 'text'],
  ['a negative weight', 'application/openmetrics-text;q=-1', 'text'],
  ['separators only', ',;,;;=,', 'text'],
  ['an open quote', 'application/openmetrics-text;version="1.0.0', 'text'],
  ['an end in the middle of an escape', 'text/plain;x="\\', 'text'],
])('the format for %s', (_who, accept, format) => {
  expect(negotiate(accept).format).toBe(format);
});

test.each<[accept: string, escaping: EscapingScheme | undefined]>([
  ['', undefined],
  ['text/plain', undefined],
  ['text/plain;version=0.0.4;escaping=values', 'values'],
  ['text/plain;version=1.0.0;escaping=allow-utf-8', 'allow-utf-8'],
  ['text/plain;version=1.0.0', undefined],
  ['application/openmetrics-text;version=1.0.0;escaping=allow-utf-8', 'allow-utf-8'],
  ['application/openmetrics-text;version=1.0.0;escaping="DOTS"', 'dots'],
  ['application/openmetrics-text;version=2.0.0;escaping=underscores', 'underscores'],
  ['application/openmetrics-text;escaping=anything', undefined],
  ['application/openmetrics-text;escaping=', undefined],
  ['text/plain, application/openmetrics-text;q=0.5;escaping=dots', undefined],
  [`${PROTOBUF};escaping=values`, 'values'],
  [`${PROTOBUF};q=0.6,application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.5`, 'allow-utf-8'],
  [`${PROTOBUF};q=0.6,text/plain;version=0.0.4;q=0.2`, undefined],
])('the escaping for %j is %j', (accept, escaping) => {
  expect(negotiate(accept).escaping).toBe(escaping);
});

test('a content type names the scheme only when there is one', () => {
  expect(formatContentType('text')).toBe('text/plain; version=0.0.4; charset=utf-8');
  expect(formatContentType('openmetrics2', 'allow-utf-8')).toBe(
    'application/openmetrics-text; version=2.0.0; charset=utf-8; escaping=allow-utf-8',
  );
});

test('every header gets a format and no error', () => {
  const piece = fc.constantFrom(
    'text/plain',
    'application/*',
    '*/*',
    ';q=',
    '0.5',
    ',',
    ';',
    '"',
    '\\',
    '=',
    ' ',
  );
  const header = fc.oneof(
    fc.string(),
    fc.array(fc.oneof(piece, fc.string({ maxLength: 3 }))).map((all) => all.join('')),
  );
  fc.assert(
    fc.property(header, (accept) => {
      expect(['text', 'text1', 'openmetrics', 'openmetrics2', 'protobuf']).toContain(
        negotiate(accept).format,
      );
    }),
  );
});

test('a long hostile header is parsed within a second', () => {
  const before = performance.now();
  negotiate('"'.repeat(100_001));
  negotiate(`a;${'"\\'.repeat(50_000)}`);
  negotiate(';,='.repeat(30_000));
  expect(performance.now() - before).toBeLessThan(5000);
});
