import { collectDiagnostics } from '@hdrscope/testing/diagnostics';
import { refusalOf } from '@hdrscope/testing/refusals';
import { createHdr, type HdrOptions } from '../src/index.ts';
import { compileView, type HdrView } from '../src/view.ts';

const log = collectDiagnostics();

const INSTRUMENT = {
  name: 'http.server.duration',
  unit: 's',
  scope: { name: 'http', version: '1.2', schemaUrl: 'https://example.com/1' },
};

test.each<[selected: boolean, pattern: string, name: string]>([
  [true, 'http.server.duration', 'http.server.duration'],
  [false, 'http.server.duration', 'http.server.duration.more'],
  [false, 'http.server.duration', 'my.http.server.duration'],
  [false, 'http.server.duration', 'httpXserverXduration'],
  [true, 'HTTP.Server.Duration', 'http.server.duration'],
  [true, 'http.server.duration', 'HTTP.SERVER.DURATION'],
  [true, '*', 'anything/at-all_1'],
  [true, '*', ''],
  [true, 'http.*', 'http.'],
  [true, 'http.*.duration', 'http.server.duration'],
  [true, 'http.*.duration', 'http.server.request.duration'],
  [false, 'http.*.duration', 'http.duration'],
  [true, '*.*.duration', 'http.server.duration'],
  [false, '*.*.duration', 'server.duration'],
  [true, '**', 'x'],
  [true, '*duration', 'duration'],
  [true, 'h?tp', 'http'],
  [false, 'h?tp', 'htp'],
  [false, 'h?tp', 'htttp'],
  [true, '????', 'http'],
  [false, '????', 'https'],
  [true, '?*', 'x'],
  [false, '?*', ''],
  [true, 'a+b', 'a+b'],
  [false, 'a+b', 'aab'],
  [true, 'a(b)[c]{d}^$|\\', 'a(b)[c]{d}^$|\\'],
  [false, '[a-z]', 'b'],
  [true, '*', 'two\nlines'],
  [false, 'line', 'line\nline'],
])('it is %s that "%s" selects "%s"', (selected, instrumentName, name) => {
  expect(compileView({ instrumentName }).matches({ ...INSTRUMENT, name })).toBe(selected);
});

test.each<[selected: boolean, view: HdrView]>([
  [true, { instrumentUnit: 's' }],
  [false, { instrumentUnit: 'S' }],
  [false, { instrumentUnit: 'ms' }],
  [false, { instrumentUnit: '' }],
  [true, { meterName: 'http' }],
  [false, { meterName: 'HTTP' }],
  [false, { meterName: 'http*' }],
  [true, { meterVersion: '1.2' }],
  [false, { meterVersion: '1' }],
  [false, { meterVersion: '' }],
  [true, { meterSchemaUrl: 'https://example.com/1' }],
  [false, { meterSchemaUrl: 'https://example.com/2' }],
  [true, { instrumentType: 'HISTOGRAM' }],
  [false, { instrumentType: 'COUNTER' }],
  [true, { instrumentName: 'http.*', instrumentUnit: 's', meterName: 'http', meterVersion: '1.2' }],
  [false, { instrumentName: 'http.*', instrumentUnit: 's', meterName: 'http', meterVersion: '2' }],
  [false, { instrumentName: 'rpc.*', instrumentUnit: 's' }],
])('it is %s that %j selects a histogram in s of meter http 1.2', (selected, view) => {
  expect(compileView(view).matches(INSTRUMENT)).toBe(selected);
});

test.each<[selected: boolean, view: HdrView]>([
  [true, { instrumentName: '*', meterVersion: '' }],
  [false, { meterVersion: '1' }],
  [true, { meterSchemaUrl: '' }],
  [false, { meterSchemaUrl: '1' }],
])('it is %s that %j selects a histogram of a meter that has but a name', (selected, view) => {
  const bare = { ...INSTRUMENT, scope: { name: 'http' } };
  expect(compileView(view).matches(bare)).toBe(selected);
});

const CRITERIA = 'instrumentName, instrumentType, instrumentUnit, meterName, meterVersion, meterSchemaUrl';

test.each<[message: string, view: Record<string, unknown> | null]>([
  [`views[0] must be given at least one of ${CRITERIA}, got an object`, {}],
  [`views[0] must be given at least one of ${CRITERIA}, got an object`, { significantDigits: 3, name: 'x' }],
  [
    'views[0].instrumentName must be without wildcards in a view with a name, got "http.*"',
    { instrumentName: 'http.*', name: 'x' },
  ],
  [
    'views[0].instrumentName must be without wildcards in a view with a name, got "h?"',
    { instrumentName: 'h?', name: 'x' },
  ],
  [
    'views[0].instrumentName must be without wildcards in a view with a name, got undefined',
    { meterName: 'm', name: 'x' },
  ],
  ['views[0].instrumentName must be a text, got a RegExp', { instrumentName: /http/ }],
  [
    'an HDR view has no option "significantDigit": did you mean significantDigits?',
    { instrumentName: 'x', significantDigit: 3 },
  ],
  [
    'views[0].aggregationCardinalityLimit must be an integer of at least 1, got 1.5',
    { instrumentName: 'x', aggregationCardinalityLimit: 1.5 },
  ],
  ['views[0].boundaries must be an array of finite numbers, got 5', { instrumentName: 'x', boundaries: 5 }],
  [
    'views[0].attributesProcessors must be an array of attribute processors, got an object',
    { instrumentName: 'x', attributesProcessors: {} },
  ],
  ['views[0].maxSize must be an integer of at least 2, got 1', { instrumentName: 'x', maxSize: 1 }],
  ['views[0].maxSize must be an integer of at least 2, got 2.5', { instrumentName: 'x', maxSize: 2.5 }],
  [
    'views[0].maxSize must be an integer of at least 2, got Infinity',
    { instrumentName: 'x', maxSize: Number.POSITIVE_INFINITY },
  ],
  ['views[0].maxScale must be an integer from -10 to 20, got 21', { instrumentName: 'x', maxScale: 21 }],
  ['views[0].maxScale must be an integer from -10 to 20, got -11', { instrumentName: 'x', maxScale: -11 }],
  ['views[0].maxScale must be an integer from -10 to 20, got 0.5', { instrumentName: 'x', maxScale: 0.5 }],
])('a wrong view is refused: %s', (message, view) => {
  const refusal = refusalOf(() => createHdr({ views: [view as HdrView] }));
  expect(refusal.code).toBe('ERR_INVALID_OPTION');
  expect(refusal.message).toBe(message);
});

test.each<[what: string, view: Record<string, unknown>]>([
  ['boundaries that do not ascend', { boundaries: [2, 1] }],
  ['boundaries that are equal', { boundaries: [1, 1] }],
  ['boundaries that are not finite', { boundaries: [1, Number.POSITIVE_INFINITY] }],
  ['too many digits', { significantDigits: 6 }],
  ['digits that are no integer', { significantDigits: 1.5 }],
  ['a resolution of 0', { resolution: 0 }],
  ['a resolution that is no number', { resolution: '1' }],
  ['a cardinality limit of 0', { aggregationCardinalityLimit: 0 }],
  ['an empty name', { name: '' }],
  ['a description that is no text', { description: 7 }],
  ['a time that is no number', { expireAfterMs: '60000' }],
  ['a time of 0', { expireAfterMs: 0 }],
  ['tee as a text', { tee: 'false' }],
  ['a processor without process()', { attributesProcessors: [{}] }],
])('a mistake in a view shows at start-up: %s', (_, options) => {
  const refusal = refusalOf(() => createHdr({ views: [{ instrumentName: 'x', ...options }] }));
  expect(refusal.code).toBe('ERR_INVALID_OPTION');
});

test.each([[undefined], [{}], [{ views: { instrumentName: 'x' } }]])(
  'createHdr refuses %j, which has no list of views',
  (options) => {
    const refusal = refusalOf(() => createHdr(options as unknown as HdrOptions));
    expect(refusal.code).toBe('ERR_INVALID_OPTION');
    expect(refusal.message).toMatch(/views: \[\{ instrumentName|^views must be an array of views/);
  },
);

test('a view with every option keeps them as given', () => {
  const view: Required<HdrView> = {
    instrumentName: 'x',
    instrumentType: 'HISTOGRAM',
    instrumentUnit: 's',
    meterName: 'm',
    meterVersion: '1',
    meterSchemaUrl: 'u',
    name: 'y',
    description: 'd',
    attributesProcessors: [{ process: (attributes) => attributes }],
    allowAttributes: ['a'],
    denyAttributes: ['b'],
    tee: false,
    significantDigits: 0,
    resolution: 0.5,
    aggregationCardinalityLimit: 1,
    expireAfterMs: 60_000,
    maxSize: 2,
    maxScale: -10,
    boundaries: [],
    thresholds: [],
  };
  const { attributesProcessors, ...others } = view;
  const compiled = compileView(view);
  expect(compiled).toMatchObject(others);
  // The lists of keys are processors, too.
  expect(compiled.attributesProcessors).toEqual([
    ...attributesProcessors,
    expect.anything(),
    expect.anything(),
  ]);
  createHdr({ views: [view] });
  expect(log.warnings).toEqual([]);
});

test('a view of instruments that have no distribution logs a warning', () => {
  createHdr({ views: [{ instrumentName: 'queue.*', instrumentType: 'OBSERVABLE_GAUGE' }] });
  expect(log.warnings).toEqual([
    'the HDR view of queue.* selects nothing: an instrument of type OBSERVABLE_GAUGE has no distribution',
  ]);
});

test('a histogram with as many series as its limit logs one warning, with the attribute that grew and the cure', async () => {
  const { registry } = createHdr({ views: [{ instrumentName: '*' }] });
  createHdr({ views: [{ instrumentName: '*' }], registry });
  const family = registry.histogram({ name: 'job.duration', cardinalityLimit: 2 });
  for (const user of ['ann', 'bob', 'cid', 'dan']) family.with({ queue: 'mail', user }).record(1);
  await new Promise((resolve) => setImmediate(resolve));
  expect(log.warnings).toEqual([
    '"job.duration" has reached its limit of 2 series: values with other attributes count in one series, ' +
      'otel.metric.overflow. The attribute "user" has the most values, 3: leave it out by denyAttributes or ' +
      'allowAttributes of a view, or raise aggregationCardinalityLimit of the view',
  ]);
});
