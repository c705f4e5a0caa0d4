import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { GEN_AI_VIEWS, MESSAGING_VIEWS } from '../../src/index.ts';
import { readViews, readViewsOfConfigFile } from '../../src/register/views.ts';

const read = (text: string | undefined) => readViews(text, parse);

test('without a setting every histogram is selected', () => {
  expect(read(undefined)).toEqual({ views: [{ instrumentName: '*' }], problems: [] });
});

test.each<[text: string, views: readonly object[]]>([
  ['none', []],
  ['http.*.duration', [{ instrumentName: 'http.*.duration' }]],
  [
    ' http.*.duration ; significantDigits = 3; allowAttributes=http.route|http.request.method ,db.*,',
    [
      {
        instrumentName: 'http.*.duration',
        significantDigits: 3,
        allowAttributes: ['http.route', 'http.request.method'],
      },
      { instrumentName: 'db.*' },
    ],
  ],
  [
    'a;boundaries=0.1|0.25|1;thresholds=0.3;tee=true;instrumentUnit=s;aggregationCardinalityLimit=500;resolution=1e-6',
    [
      {
        instrumentName: 'a',
        boundaries: [0.1, 0.25, 1],
        thresholds: [0.3],
        tee: true,
        instrumentUnit: 's',
        aggregationCardinalityLimit: 500,
        resolution: 1e-6,
      },
    ],
  ],
  ['{ "meterName": "shop" }', [{ meterName: 'shop' }]],
  [
    '[{ "instrumentName": "a" }, { "instrumentName": "b" }]',
    [{ instrumentName: 'a' }, { instrumentName: 'b' }],
  ],
  ['preset:gen_ai, *', [...GEN_AI_VIEWS, { instrumentName: '*' }]],
  ['["preset:messaging", { "instrumentName": "a" }]', [...MESSAGING_VIEWS, { instrumentName: 'a' }]],
  ['{ "views": [{ "instrumentName": "a" }] }', [{ instrumentName: 'a' }]],
])('%s', (text, views) => {
  expect(read(text)).toEqual({ views, problems: [] });
});

test.each<[text: string, message: string]>([
  [
    'a;significantDigits=7',
    'view 1 of HDRSCOPE_VIEWS is left out: significantDigits must be an integer from 0 to 5, got 7',
  ],
  [
    'preset:constructor',
    'view 1 of HDRSCOPE_VIEWS is left out: preset must be one of gen_ai, messaging, got "constructor"',
  ],
  ['a;significantDigits=three', 'significantDigits must be an integer from 0 to 5, got "three"'],
  ['a;signifcantDigits=2', 'did you mean significantDigits?'],
  ['a;boundaries=1|x', 'view 1 of HDRSCOPE_VIEWS is left out'],
  ['a;tee=yes', 'tee must be true or false'],
  ['a;x', 'an option in HDRSCOPE_VIEWS must be name=value, got "x"'],
  ['[1]', 'the options of an HDR view must be one object'],
  ['[{}]', 'a view must be given at least one of instrumentName'],
  ['{ "instrumentName": ', 'HDRSCOPE_VIEWS cannot be read: '],
  ['[{ "instrumentName": "a", "attributesProcessors": [] }]', 'a text has no functions'],
  ['/nowhere/views.json', 'no such file'],
])('%s is refused', (text, message) => {
  const { views, problems } = read(text);
  expect(views).toEqual([]);
  expect(problems).toHaveLength(1);
  expect(problems[0]).toMatchObject({
    code: 'ERR_INVALID_OPTION',
    message: expect.stringContaining(message),
  });
});

test('the other views hold when one is wrong', () => {
  const { views, problems } = read('a;significantDigits=7, b');
  expect(views).toEqual([{ instrumentName: 'b' }]);
  expect(problems).toHaveLength(1);
});

describe('files', () => {
  const folder = mkdtempSync(join(tmpdir(), 'hdrscope-views-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  test.each([
    ['views.json', '[{ "instrumentName": "a", "significantDigits": 3 }]'],
    ['views.yaml', 'views:\n  - instrumentName: a\n    significantDigits: 3\n'],
    ['views.yml', '- { instrumentName: a, significantDigits: 3 }\n'],
  ])('%s', (name, content) => {
    const path = join(folder, name);
    writeFileSync(path, content);
    expect(read(path)).toEqual({ views: [{ instrumentName: 'a', significantDigits: 3 }], problems: [] });
  });

  test('the example', () => {
    const path = fileURLToPath(new URL('../../../../examples/register/views.yaml', import.meta.url));
    const { views, problems } = read(path);
    expect(problems).toEqual([]);
    expect(views.map(({ instrumentName }) => instrumentName)).toEqual([
      'http.server.request.duration',
      '*.duration',
    ]);
  });

  test('a YAML file without a parser is refused', () => {
    const path = join(folder, 'other.yaml');
    writeFileSync(path, 'views: []');
    const { views, problems } = readViews(path, () => {
      throw new Error('yaml cannot be loaded');
    });
    expect(views).toEqual([]);
    expect(problems[0]?.message).toBe('HDRSCOPE_VIEWS cannot be read: yaml cannot be loaded');
  });

  describe('a configuration file of OpenTelemetry', () => {
    const path = join(folder, 'otel.yaml');
    const readPart = (part: string) => {
      writeFileSync(path, `file_format: "1.0"\n${part}`);
      return readViewsOfConfigFile(path, parse);
    };

    test('has views and presets', () => {
      const views = 'views: [{ instrumentName: a, significantDigits: 3 }, "preset:messaging"]';
      expect(readPart(`distribution: { hdrscope: { ${views} } }`)).toEqual({
        views: [{ instrumentName: 'a', significantDigits: 3 }, ...MESSAGING_VIEWS],
        problems: [],
      });
    });

    test.each(['', 'distribution: { other: { hdrscope: 1 } }', 'disabled: false # hdrscope'])(
      '%j has none',
      (part) => {
        expect(readPart(part)).toBeUndefined();
      },
    );

    test('that is not there, or needs no package for YAML, has none', () => {
      expect(readViewsOfConfigFile(join(folder, 'absent.yaml'), parse)).toBeUndefined();
      writeFileSync(path, 'file_format: "1.0"');
      expect(
        readViewsOfConfigFile(path, () => {
          throw new Error('yaml cannot be loaded');
        }),
      ).toBeUndefined();
    });

    test.each<[part: string, message: string]>([
      ['{ view: [] }', 'must be a mapping with views, a list, and nothing else, got an object'],
      ['{ views: [], digits: 3 }', 'must be a mapping with views, a list, and nothing else'],
      ['7', 'must be a mapping with views, a list, and nothing else, got 7'],
      [
        '{ views: [{ instrumentName: "$' + '{NAME}" }] }',
        'must be without variables: hdrscope does not replace them',
      ],
      ['{ views: [{ instrumentName: a, significantDigits: 7 }] }', 'view 1 of distribution.hdrscope of '],
      ['{ views: [', 'cannot be read: '],
    ])('refuses %s', (part, message) => {
      const { views, problems } = readPart(`distribution: { hdrscope: ${part} }`)!;
      expect(views).toEqual([]);
      expect(problems.map((problem) => problem.message)).toEqual([expect.stringContaining(message)]);
      expect(problems[0]!.message).toContain(`distribution.hdrscope of ${path}`);
    });
  });
});
