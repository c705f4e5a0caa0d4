import { createRegistry } from '@hdrscope/registry';
import { anyCharacter } from '@hdrscope/testing/any-character';
import fc from 'fast-check';
import { type EscapingScheme, escapedName, isClassicLabel, isClassicName } from '../src/escaping.ts';
import { convertSnapshot, type MetricFamily, prometheusHandler, render } from '../src/index.ts';
import { decodeFamilies } from './support/decode.ts';
import { OPENMETRICS, OPENMETRICS_2, PROTOBUF } from './support/http.ts';
import { respond } from './support/respond.ts';
import { family } from './support/text.ts';

// Computed by EscapeName of github.com/prometheus/common 0.72.1.
test.each<[name: string, underscores: string, dots: string, values: string]>([
  ['', '', '', ''],
  ['http_requests:rate5m', 'http_requests:rate5m', 'http__requests:rate5m', 'http_requests:rate5m'],
  [
    'mysystem.prod.west.cpu.load',
    'mysystem_prod_west_cpu_load',
    'mysystem_dot_prod_dot_west_dot_cpu_dot_load',
    'U__mysystem_2e_prod_2e_west_2e_cpu_2e_load',
  ],
  [
    'mysystem.prod.west.cpu.load_total',
    'mysystem_prod_west_cpu_load_total',
    'mysystem_dot_prod_dot_west_dot_cpu_dot_load__total',
    'U__mysystem_2e_prod_2e_west_2e_cpu_2e_load__total',
  ],
  ['http.status:sum', 'http_status:sum', 'http_dot_status:sum', 'U__http_2e_status:sum'],
  ['label with 😱', 'label_with__', 'label__with____', 'U__label_20_with_20__1f631_'],
  ['花火', '__', '____', 'U___82b1__706b_'],
  ['花火_x', '___x', '______x', 'U___82b1__706b___x'],
  ['1st.x', '_st_x', '__st_dot_x', 'U___31_st_2e_x'],
  ['\ud800x', '_x', '__x', 'U___FFFD_x'],
])('the name %j in each scheme', (name, underscores, dots, values) => {
  expect(escapedName(name, 'allow-utf-8')).toBe(name);
  expect(escapedName(name, 'underscores')).toBe(underscores);
  expect(escapedName(name, 'dots')).toBe(dots);
  expect(escapedName(name, 'values')).toBe(values);
});

test('a colon in the name of a label is escaped', () => {
  expect(escapedName('a:b', 'underscores', true)).toBe('a_b');
  expect(escapedName('a:b', 'values', true)).toBe('U__a_3a_b');
});

test('every escaped name needs no quotes', () => {
  const schemes = fc.constantFrom<EscapingScheme>('underscores', 'dots', 'values');
  fc.assert(
    fc.property(fc.string({ minLength: 1, unit: anyCharacter }), schemes, (name, scheme) => {
      expect(isClassicName(escapedName(name, scheme))).toBe(true);
      expect(isClassicLabel(escapedName(name, scheme, true))).toBe(true);
    }),
  );
});

const value = { kind: 'number', value: 1 } as const;
const COUNTER: MetricFamily = family('counter', value, {
  name: 'foo.bar',
  metrics: [
    {
      labels: [
        ['a.b', '1'],
        ['c', '2'],
      ],
      createdMs: 1000,
      value,
    },
  ],
});

test.each<
  [format: 'text' | 'text1' | 'openmetrics' | 'openmetrics2', scheme: EscapingScheme, sample: string]
>([
  ['text', 'allow-utf-8', '{"foo.bar_total","a.b"="1",c="2"} 1'],
  ['text1', 'allow-utf-8', '{"foo.bar_total","a.b"="1",c="2"} 1'],
  ['text1', 'underscores', 'foo_bar_total{a_b="1",c="2"} 1'],
  [
    'openmetrics',
    'allow-utf-8',
    '{"foo.bar_total","a.b"="1",c="2"} 1\n{"foo.bar_created","a.b"="1",c="2"} 1',
  ],
  ['openmetrics', 'underscores', 'foo_bar_total{a_b="1",c="2"} 1\nfoo_bar_created{a_b="1",c="2"} 1'],
  ['openmetrics2', 'dots', 'foo_dot_bar__total{a_dot_b="1",c="2"} 1 st@1'],
  ['openmetrics2', 'values', 'U__foo_2e_bar__total{U__a_2e_b="1",c="2"} 1 st@1'],
])('a counter in %s with %s', (format, scheme, sample) => {
  const text = new TextDecoder().decode(render([COUNTER], format, scheme));
  expect(text).toContain(`\n${sample}\n`);
});

test('a histogram in text has its suffixes within the quotes', () => {
  const histogram = {
    kind: 'histogram',
    count: 1,
    sum: 2,
    classic: { boundaries: [1], counts: [1, 0] },
  } as const;
  const bare = family('histogram', histogram, { name: 'x.y' });
  expect(
    new TextDecoder()
      .decode(render([bare], 'text', 'allow-utf-8'))
      .split('\n')
      .slice(1),
  ).toEqual([
    '# TYPE "x.y" histogram',
    '{"x.y_count"} 1',
    '{"x.y_sum"} 2',
    '{"x.y_bucket",le="1"} 1',
    '{"x.y_bucket",le="+Inf"} 1',
    '',
  ]);
});

test('protobuf has names without quotes', () => {
  const [decoded] = decodeFamilies(render([COUNTER], 'protobuf', 'allow-utf-8'));
  expect(decoded!.name).toBe('foo.bar_total');
  expect(decoded!.metrics[0]!.labels[0]).toEqual(['a.b', '1']);
});

test('labels that get one name have their values joined', () => {
  const metrics = [
    {
      labels: [
        ['a.b', '1'],
        ['a_b', '2'],
      ] as const,
      value,
    },
  ];
  const text = new TextDecoder().decode(render([family('gauge', value, { metrics })], 'text', 'underscores'));
  expect(text).toContain('x{a_b="1;2"} 1\n');
});

test('no label becomes the one in which Prometheus keeps the name of the metric', () => {
  const metrics = [{ labels: [['..name..', '1']] as const, value }];
  const text = new TextDecoder().decode(render([family('gauge', value, { metrics })], 'text', 'underscores'));
  expect(text).toContain('x{exported___name__="1"} 1\n');
});

describe('a handler', () => {
  const registry = createRegistry();
  registry.histogram({ name: 'job.duration', unit: 's' }).with({ 'job.kind': 'mail' }).record(1);
  registry.histogram({ name: 'job_duration', unit: 's' }).with({ 'job.kind': 'other' }).record(1);
  const handler = prometheusHandler(registry, { translationStrategy: 'NoTranslation' });

  test('names the scheme that the scraper asks for, and no scheme otherwise', async () => {
    const typeFor = async (accept: string) => (await respond(handler, { accept })).headers['content-type'];
    expect(await typeFor(`${OPENMETRICS};escaping=allow-utf-8`)).toBe(
      'application/openmetrics-text; version=1.0.0; charset=utf-8; escaping=allow-utf-8',
    );
    expect(await typeFor('text/plain;version=1.0.0;escaping=allow-utf-8')).toBe(
      'text/plain; version=1.0.0; charset=utf-8; escaping=allow-utf-8',
    );
    expect(await typeFor(OPENMETRICS_2)).toBe('application/openmetrics-text; version=2.0.0; charset=utf-8');
    expect(await typeFor(`${PROTOBUF},${OPENMETRICS};q=0.1;escaping=values`)).toMatch(
      /delimited; escaping=values$/,
    );
  });

  test('has names of OpenTelemetry for a scraper that takes UTF-8', async () => {
    const { body } = await respond(handler, { accept: `${OPENMETRICS_2};escaping=allow-utf-8` });
    expect(`${body}`).toContain('{"job.duration","job.kind"="mail"} {count:1,sum:1,');
    expect(`${body}`).toContain('job_duration{"job.kind"="other"} {count:1,sum:1,');
  });

  test('has quoted names in text 1.0.0', async () => {
    const { body } = await respond(handler, { accept: 'text/plain;version=1.0.0;escaping=allow-utf-8' });
    expect(`${body}`).toContain('\n{"job.duration_count","job.kind"="mail"} 1\n');
  });

  test('merges families whose escaped names are equal', async () => {
    const { body } = await respond(handler, { accept: OPENMETRICS_2 });
    expect(`${body}`.match(/^# TYPE/gm)).toHaveLength(1);
    expect(`${body}`).toContain('job_duration{job_kind="mail"} {count:1,');
    expect(`${body}`).toContain('job_duration{job_kind="other"} {count:1,');
  });

  test('has the bytes of each scheme, whatever was asked for before', async () => {
    const bodyFor = async (escaping: string) =>
      `${(await respond(handler, { accept: `${OPENMETRICS_2};escaping=${escaping}` })).body}`;
    for (const escaping of ['dots', 'values', 'allow-utf-8', 'underscores', 'dots', 'allow-utf-8'] as const) {
      const expected = convertSnapshot(await registry.gather(), { translationStrategy: 'NoTranslation' });
      const text = await bodyFor(escaping);
      if (escaping !== 'underscores') {
        expect(text).toBe(new TextDecoder().decode(render(expected, 'openmetrics2', escaping)));
      }
    }
  });
});
