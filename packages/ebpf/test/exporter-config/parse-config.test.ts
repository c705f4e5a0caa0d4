import { parseEbpfExporterConfig } from '../../src/index.ts';
import { isComplete, resolveShape } from '../../src/source/kernel-map-shape.ts';

const CONFIG = `metrics:
  counters:
    - name: ignored_total
  histograms:
    - name: bio_latency_seconds
      help: Block IO latency histogram
      bucket_type: exp2
      bucket_min: 0
      bucket_max: 26
      bucket_multiplier: 0.000001 # microseconds to seconds
      labels:
        - name: device
          size: 4
          decoders:
            - name: majorminor
        - name: operation
          size: 1
          padding: 3
          decoders:
            - name: uint
            - name: static_map
              allow_unknown: true
              static_map:
                1: read
                "2": write
        - name: comm
          size: 16
          decoders:
            - name: string
            - name: regexp
              regexps: [^a]
        - &bucket
          name: bucket
          size: 8
          decoders:
            - name: uint
    - name: tcp_sizes
      bucket_type: fixed
      bucket_keys: [100, 1000, 10000]
      labels:
        - name: cgroup
          size: 8
          decoders:
            - name: uint
            - name: cgroup
        - name: mac
          size: 6
          decoders:
            - name: hex
        - *bucket
`;

/** A configuration with one histogram of these lines. */
function config(...lines: string[]): string {
  const fields = ['name: x', ...lines].map((line, i) => `${i === 0 ? '    - ' : '      '}${line}`);
  return ['metrics:', '  histograms:', ...fields].join('\n');
}

const BUCKET = 'labels: [{ name: bucket, size: 4, decoders: [{ name: uint }] }]';

test('a histogram has its buckets, unit and key', () => {
  const [latency] = parseEbpfExporterConfig(CONFIG);
  const { layout, shape, histogram } = latency!.map;
  expect([latency!.name, histogram, layout.name, layout.firstIndex]).toEqual([
    'bio_latency_seconds',
    'bio_latency_seconds',
    'ebpf-exporter-exp2',
    0,
  ]);
  expect([layout.slots.slotCount, layout.slots.lower(10), layout.slots.upper(10)]).toEqual([27, 513, 1024]);
  expect(latency!.family).toEqual({
    name: 'ebpf_exporter_bio_latency_seconds',
    description: 'Block IO latency histogram',
    unit: 's',
    scale: 1e-6,
  });
  expect(shape).toEqual({
    key: [
      { name: 'device', type: 'bytes[4]', offset: 0 },
      { name: 'operation', type: 'u8', offset: 4 },
      { name: 'comm', type: 'char[16]', offset: 8 },
      { name: 'bucket', type: 'u64', offset: 24 },
    ],
    slot: 'bucket',
    counts: { type: 'u64' },
    sum: 'after-last',
    sumUnit: 1,
    keySize: 32,
    valueSize: 8,
  });
});

test('the names of families begin with a prefix of choice', () => {
  const names = (prefix: string) =>
    parseEbpfExporterConfig(CONFIG, { prefix }).map(({ family }) => family.name);
  expect(names('')).toEqual(['bio_latency_seconds', 'tcp_sizes']);
  expect(names('node.')).toEqual(['node.bio_latency_seconds', 'node.tcp_sizes']);
});

test('a histogram can be read without types', () => {
  const [latency] = parseEbpfExporterConfig(CONFIG);
  const { layout, shape } = latency!.map;
  const info = {
    type: 'percpu_hash' as const,
    id: 7,
    keySize: 32,
    valueSize: 8,
    maxEntries: 1000,
    name: 'bio_latency_sec',
    btfId: 0,
    keyTypeId: 0,
    valueTypeId: 0,
  };
  expect(isComplete(info, shape!)).toBe(true);
  const resolved = resolveShape(info, shape!, layout);
  expect(resolved).toMatchObject({ slotIn: 'key', slotField: { name: 'bucket', offset: 24 }, sumIndex: 27 });
  expect(resolved.attributes.map(({ name }) => name)).toEqual(['device', 'operation', 'comm']);
});

test('fixed buckets, hexadecimal labels and anchors are read', () => {
  const [, sizes] = parseEbpfExporterConfig(CONFIG);
  expect(sizes!.map.layout.keys).toEqual([100, 1000, 10_000]);
  expect(sizes!.map.shape!.key).toEqual([
    { name: 'cgroup', type: 'u64', offset: 0 },
    { name: 'mac', type: 'bytes[6]', offset: 8 },
    { name: 'bucket', type: 'u64', offset: 14 },
  ]);
  expect(sizes!.family).toEqual({ name: 'ebpf_exporter_tcp_sizes', scale: 1 });
});

test.each([
  ['exp2zero', 'bucket_max: 5', 'ebpf-exporter-exp2zero'],
  ['linear', 'bucket_max: 5', 'ebpf-exporter-linear'],
])('buckets of the type %s are read', (type, more, name) => {
  const [histogram] = parseEbpfExporterConfig(config(`bucket_type: ${type}`, more, BUCKET));
  expect([histogram!.map.layout.name, histogram!.map.layout.slots.slotCount]).toEqual([name, 6]);
});

test('a key of linear buckets is a value that was divided by the multiplier and rounded down', () => {
  const linear = (...lines: string[]) => {
    const [histogram] = parseEbpfExporterConfig(
      config('bucket_type: linear', 'bucket_max: 3', ...lines, BUCKET),
    );
    const { slots } = histogram!.map.layout;
    const { scale = 1 } = histogram!.family;
    return Array.from({ length: slots.slotCount }, (_, slot) => [slots.lower(slot), slots.upper(slot)]).map(
      (bounds) => bounds.map((bound) => Number((bound * scale).toPrecision(12))),
    );
  };
  const open = Number.POSITIVE_INFINITY;
  expect(linear()).toEqual([
    [0, 0],
    [1, 1],
    [2, 2],
    [3, open],
  ]);
  expect(linear('bucket_multiplier: 50')).toEqual([
    [0, 49],
    [50, 99],
    [100, 149],
    [150, open],
  ]);
  expect(linear('bucket_multiplier: 50', 'bucket_min: 2')).toEqual([
    [100, 149],
    [150, open],
  ]);
  expect(linear('bucket_multiplier: 0.001')).toEqual([
    [0, 0.001],
    [0.001001, 0.002],
    [0.002001, 0.003],
    [0.003001, open],
  ]);
});

test('a configuration may be without histograms', () => {
  expect(parseEbpfExporterConfig('metrics:\n  counters: []\n')).toEqual([]);
  expect(parseEbpfExporterConfig('')).toEqual([]);
});

test.each([
  ['no YAML', 'metrics: [', /^line 1: /],
  ['a list', '- metrics', 'line 1: the text must be a map, got an array of 1'],
  [
    'no name',
    'metrics:\n  histograms:\n    - help: x',
    'line 3: metrics.histograms[0].name must be a text, not empty, got undefined',
  ],
  [
    'no labels',
    config('bucket_type: exp2'),
    'line 3: metrics.histograms[0].labels must be a list that ends with the bucket, got undefined',
  ],
  [
    'an unknown type of buckets',
    config('bucket_type: exp3', BUCKET),
    'line 4: metrics.histograms[0].bucket_type must be exp2, exp2zero, linear or fixed, got "exp3"',
  ],
  [
    'no last bucket',
    config('bucket_type: exp2', BUCKET),
    'line 3: metrics.histograms[0].bucket_max must be a number, got undefined',
  ],
  [
    'a last bucket that is a text',
    config('bucket_type: exp2', 'bucket_max: many', BUCKET),
    'line 5: metrics.histograms[0].bucket_max must be a number, got "many"',
  ],
  [
    'too many buckets',
    config('bucket_type: exp2', 'bucket_max: 99', BUCKET),
    'line 3: bucket_max must be an integer from 1 to 64, got 99',
  ],
  [
    'keys that fall',
    config('bucket_type: fixed', 'bucket_keys: [5, 3]', BUCKET),
    'line 3: bucket_keys[1] must be an integer of at least 6, got 3',
  ],
  [
    'a multiplier of 0',
    config('bucket_type: exp2', 'bucket_max: 5', 'bucket_multiplier: 0', BUCKET),
    'line 6: metrics.histograms[0].bucket_multiplier must be above 0, got 0',
  ],
  [
    'an integer of 3 bytes',
    config('labels: [{ name: bucket, size: 3, decoders: [{ name: uint }] }]'),
    'line 4: metrics.histograms[0].labels[0].size must be 1, 2, 4 or 8 for an unsigned integer, got 3',
  ],
  [
    'no decoders',
    config('labels: [{ name: bucket, size: 4 }]'),
    'line 4: metrics.histograms[0].labels[0].decoders must be a list of at least one decoder, got undefined',
  ],
  [
    'a bucket that is a text',
    config('labels: [{ name: bucket, size: 4, decoders: [{ name: string }] }]'),
    'line 4: metrics.histograms[0].labels[0] must be the bucket, as the last label, with the only decoder uint, got an object',
  ],
  [
    'a bucket with a name',
    config(
      'labels: [{ name: bucket, size: 4, decoders: [{ name: uint }, { name: static_map, static_map: { 1: a } }] }]',
    ),
    'line 4: metrics.histograms[0].labels[0] must be the bucket, as the last label, with the only decoder uint, got an object',
  ],
  [
    'a name of a label that Prometheus does not allow',
    config('labels: [{ name: le, size: 4, decoders: [{ name: uint }] }]'),
    'line 4: metrics.histograms[0].labels[0].name must be a name of letters, digits and _, other than le, got "le"',
  ],
  [
    'a label twice',
    config(
      'labels: [{ name: a, size: 4, decoders: [{ name: uint }] }, { name: a, size: 4, decoders: [{ name: uint }] }]',
    ),
    'line 4: metrics.histograms[0].labels[1].name must be a name that no other label has, got "a"',
  ],
  [
    'a label larger than any',
    config('labels: [{ name: a, size: 5000, decoders: [{ name: hex }] }]'),
    'line 4: metrics.histograms[0].labels[0].size must be at most 4096 bytes, got 5000',
  ],
  [
    '257 histograms',
    `metrics: { histograms: [${'{ name: a },'.repeat(257)}] }`,
    'line 1: metrics.histograms must be a list of at most 256, got an array of 257',
  ],
  ...(
    [
      ['an unknown decoder', '{ name: x }', 'one of uint, hex, dname, inet_ip,', '"x"'],
      [
        'a decoder that takes a table',
        '{ name: uint }, { name: syscall }',
        'a decoder that hdrscope has: give the integers that matter their names by uint and static_map',
        '"syscall"',
      ],
      ['a first decoder of texts', '{ name: regexp }', 'a decoder after uint or string,', '"regexp"'],
      ['a decoder of integers first', '{ name: cgroup }', 'a decoder after uint or string,', '"cgroup"'],
      [
        'a decoder of integers after a text',
        '{ name: string }, { name: cgroup }',
        'a decoder after uint, because it takes an integer',
        '"cgroup"',
      ],
      [
        'a decoder of bytes after a text',
        '{ name: uint }, { name: majorminor }',
        'a decoder of texts, and this one takes bytes: put it first',
        '"majorminor"',
      ],
      [
        'an empty map of names',
        '{ name: uint }, { name: static_map }',
        'a map of texts to names',
        'undefined',
      ],
      [
        'an answer of YAML 1.1',
        '{ name: uint }, { name: static_map, allow_unknown: yes, static_map: { 1: a } }',
        'true or false',
        '"yes"',
      ],
      [
        'no expressions',
        '{ name: string }, { name: regexp }',
        'a list of at least one expression',
        'undefined',
      ],
      [
        'an expression of other languages',
        '{ name: string }, { name: regexp, regexps: ["(?<=a)b"] }',
        'an expression that JavaScript has too ((?< is not supported)',
        '"(?<=a)b"',
      ],
      ['a size that no address has', '{ name: inet_ip }', '4 or 16 for the decoder inet_ip', '8'],
    ] as const
  ).map(([what, decoders, allowed, got]): [string, string, RegExp] => {
    const literal = (text: string) => text.replace(/[^\w ]/g, '\\$&');
    return [
      what,
      config(`labels: [{ name: a, size: 8, decoders: [${decoders}] }]`),
      new RegExp(
        `^line 4: metrics\\.histograms\\[0\\]\\.labels\\[0\\]\\..* must be ${literal(allowed)}.*, got ${literal(got)}$`,
      ),
    ];
  }),
])('%s is refused with its line', (_, text, message) => {
  expect(() => parseEbpfExporterConfig(text)).toThrow(
    expect.objectContaining({
      code: 'ERR_INVALID_OPTION',
      message: message instanceof RegExp ? expect.stringMatching(message) : message,
    }),
  );
});
