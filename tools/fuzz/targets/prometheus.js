import { importSource } from '../../lib/import-source.js';
import { assertThat } from '../check.js';

/** @typedef {import('../engine.js').Target} Target */

/** @returns {Promise<Target>} */
export async function headers() {
  const { negotiate } = await importSource('prometheus/src/index.ts');
  const { wantsGzip } = await importSource('kit/src/accept-encoding.ts');
  const { deadlineOf } = await importSource('prometheus/src/deadline.ts');
  const formats = ['text', 'text1', 'openmetrics', 'openmetrics2', 'protobuf'];
  const schemes = [undefined, 'underscores', 'dots', 'values', 'allow-utf-8'];
  return {
    form: 'text',
    seeds: [
      'application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.3',
      'application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited;q=0.7,*/*;q=0.1',
      'application/openmetrics-text;version=2.0.0;escaping=dots',
      'gzip;q=1.0, identity; q=0.5, *;q=0',
      'text/plain; charset="utf\\"-8"; version="0.0.4"',
      '10.5',
    ],
    words: [
      'q=',
      ';',
      ',',
      '"',
      '\\',
      '*/*',
      'text/plain',
      'gzip',
      'identity',
      'version',
      '=',
      '0.',
      ' ',
      '2.0.0',
      'escaping=',
    ],
    run(text) {
      const { format, escaping } = negotiate(text);
      assertThat(formats.includes(format), () => `the format is ${format}`);
      assertThat(schemes.includes(escaping), () => `the escaping is ${escaping}`);
      assertThat(typeof wantsGzip(text) === 'boolean', () => 'gzip is neither wanted nor not');
      const { softMs, hardMs } = deadlineOf(text, 10_000);
      assertThat(
        softMs > 0 && hardMs >= softMs && hardMs < 2 ** 31,
        () => `deadlines ${softMs} and ${hardMs}`,
      );
    },
  };
}

/** @returns {Promise<Target>} */
export async function exposition() {
  const { convertSnapshot, render } = await importSource('prometheus/src/index.ts');
  const { createRegistry } = await importSource('registry/src/index.ts');
  return {
    form: 'json',
    seeds: [
      '{"name":"http.server.duration","unit":"s","description":"How long","attributes":{"op":"get","n":5},"scope":"shop"}',
      '{"name":"größe","unit":"By","description":"a\\nb \\\\ \\"c\\"","attributes":{"le":"1","__x":"y","a.b":"1","a_b":"2"},"scope":""}',
    ],
    words: ['\\n', '\\"', '\\\\', '{', '}', '"le"', '__name__'],
    gathers: true,
    allows: (error) => error instanceof SyntaxError,
    async run(text) {
      const { name, unit, description, attributes, scope } = JSON.parse(text) ?? {};
      const registry = createRegistry();
      const family = registry.histogram({
        name: textOf(name),
        unit: textOf(unit),
        description: textOf(description),
        scope: { name: textOf(scope) },
      });
      const texts = Object.entries(attributes ?? {}).map(([key, value]) => [key, textOf(value)]);
      family.with(Object.fromEntries(texts)).record(0.25);
      const families = convertSnapshot(await registry.gather());
      for (const format of ['text', 'text1', 'openmetrics', 'openmetrics2', 'protobuf']) {
        const bytes = render(families, format);
        if (format === 'protobuf') continue;
        for (const line of Buffer.from(bytes).toString().split('\n')) {
          const isLine =
            line === '' || /^# (?:HELP|TYPE|UNIT) /.test(line) || line === '# EOF' || LINE.test(line);
          assertThat(isLine, () => `a line is ${JSON.stringify(line)}`);
        }
      }
    },
  };
}

/** A caller that is not a program gives texts only. @param {unknown} value */
const textOf = (value) => (typeof value === 'object' ? 'x' : String(value));

/** A sample: a name, its labels, a value and what may follow it. */
const LINE =
  /^[a-zA-Z_:][a-zA-Z0-9_:]*(?:\{(?:[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\["\\n])*",?)*\})? \S+(?: .*)?$/;

/** @returns {Promise<Target>} */
export async function scrapeBounds() {
  const { readScrapedBounds } = await importSource('prometheus/src/rules/index.ts');
  return {
    form: 'text',
    seeds: [
      '# TYPE x histogram\nx_bucket{a="b",le="0.1"} 2\nx_bucket{le="+Inf"} 3\nx_sum 1\nx_count 3\n',
      '{"x_bucket",le="0.25"} 1\n{"x_bucket", path="a,le=\\"5\\"", le="0.5"} 1\n',
    ],
    words: ['x_bucket{', '{"x_bucket",', 'le="', '"', '\\', '\n', '+Inf', '1e-3', ',', '}'],
    run(text) {
      /** @type {number[]} */
      const bounds = readScrapedBounds(text, 'x', 'a scrape');
      const isAscending = bounds.every(
        (bound, i) => i === 0 || bound > /** @type {number} */ (bounds[i - 1]),
      );
      assertThat(bounds.length > 0 && isAscending, () => `the bounds are ${bounds}`);
      assertThat(bounds.every(Number.isFinite), () => `the bounds are ${bounds}`);
    },
  };
}

/** @returns {Promise<Target>} */
export async function scrapedText() {
  const read = await expositionReader();
  return {
    form: 'text',
    seeds: [
      '# HELP x_seconds a\n# TYPE x_seconds histogram\nx_seconds_bucket{a="b",le="0.1"} 2\nx_seconds_bucket{a="b",le="+Inf"} 3\nx_seconds_sum{a="b"} 1\nx_seconds_count{a="b"} 3\n',
      '# TYPE "a.b" histogram\n# UNIT a.b seconds\n{"a.b_bucket",le="1"} 2 # {trace_id="1"} 0.5 1.5\n{"a.b_bucket",le="+Inf"} 2\n{"a.b_created"} 1520430001\n# EOF\n',
      '# TYPE y histogram\ny {count:5,sum:9.5,schema:3,zero_threshold:1e-5,zero_count:1,positive_spans:[-2:1,3:2],positive_buckets:[1,2,1],bucket:[1:1,+Inf:5]} st@5\n# EOF\n',
      '# TYPE s summary\ns{quantile="0.5"} 1\n# TYPE g gaugehistogram\ng_bucket{le="+Inf"} 1\nz 4 5\n',
    ],
    words: [
      '# TYPE ',
      'le="',
      '"',
      '\\',
      '\n',
      '+Inf',
      'NaN',
      '{',
      '}',
      ':',
      '[',
      ']',
      '_bucket',
      '# EOF\n',
      '1e300',
    ],
    run(text) {
      const bytes = new TextEncoder().encode(text);
      for (const format of ['text', 'text1', 'openmetrics', 'openmetrics2']) read(bytes, format);
    },
  };
}

/** @returns {Promise<Target>} */
export async function scrapedProtobuf() {
  const read = await expositionReader();
  const { convertSnapshot, render } = await importSource('prometheus/src/index.ts');
  const { createRegistry } = await importSource('registry/src/index.ts');
  const registry = createRegistry();
  const family = registry.histogram({ name: 'http.server.request.duration', unit: 's', thresholds: [0.1] });
  for (const [i, route] of ['/a', '/b'].entries())
    for (const value of [0, 0.001, 0.05, 3]) family.with({ route }).record(value * (i + 1));
  const page = render(convertSnapshot(await registry.gather()), 'protobuf');
  return {
    form: 'bytes',
    seeds: [new Uint8Array(page)],
    run: (bytes) => read(bytes, 'protobuf'),
  };
}

/** @returns {Promise<Target>} */
export async function snappyBlock() {
  const { unsnappy } = await importSource('prometheus/src/receiver/unsnappy.ts');
  const { snappy } = await importSource('prometheus/src/remote-write/snappy.ts');
  const most = 2 ** 16;
  return {
    form: 'bytes',
    seeds: ['', 'abc', 'abcabcabcabcabcabc', 'http_requests '.repeat(500)].map((text) =>
      snappy(Buffer.from(text)),
    ),
    run(bytes) {
      const plain = unsnappy(bytes, most);
      assertThat(plain.length <= most, () => `${plain.length} bytes`);
      assertThat(Buffer.compare(unsnappy(snappy(plain), most), plain) === 0, () => 'it changes on the way');
    },
  };
}

/** @returns {Promise<Target>} */
export async function writeRequest() {
  const { RequestEncoder } = await importSource('prometheus/src/remote-write/encode.ts');
  const { readReadResponse, readWriteRequest } = await importSource(
    'prometheus/src/receiver/read-request.ts',
  );
  const { WriteIntake } = await importSource('prometheus/src/receiver/intake.ts');
  const { RECEIVER_RULES } = await importSource('prometheus/src/receiver/options.ts');
  const { withPendingBytes } = await importSource('kit/src/server/index.ts');
  const { createRegistry } = await importSource('registry/src/index.ts');
  const { readOptions } = await importSource('core/src/internal.ts');
  const { atOnce, Budget, ProtobufWriter } = await importSource('kit/src/index.ts');
  const options = withPendingBytes(readOptions({}, { name: 'fuzz', rules: RECEIVER_RULES, call: '' }));
  const native = { scale: 1, offset: 2, counts: [1, 0, 4], zeroCount: 2 };
  const encoder = new RequestEncoder(1_700_000_000_000, [['job', 'a']]);
  const family = { name: 'x', help: 'h', unit: 's', type: 'histogram' };
  const buckets = { positive: native, negative: undefined, zeroThreshold: 1e-9 };
  encoder.add(family, { labels: [], value: { kind: 'histogram', count: 7, sum: 3, native: buckets } });
  encoder.add(
    { ...family, name: 'y' },
    {
      labels: [],
      value: { kind: 'histogram', count: 3, sum: 3, classic: { boundaries: [1, 2], counts: [1, 1, 1] } },
    },
  );
  encoder.add({ ...family, name: 'z', type: 'gauge' }, { labels: [], value: { kind: 'number', value: 1 } });
  const written = writeVersion1(new ProtobufWriter());
  return {
    form: 'bytes',
    seeds: [encoder.finish(), written, new ProtobufWriter().uint32(0x0a).bytes(written).finish()],
    run(bytes) {
      let error;
      const budget = () => new Budget('the body', { elements: 100_000 });
      const readings = [
        () => atOnce(readWriteRequest(bytes, 1, budget())),
        () => atOnce(readWriteRequest(bytes, 2, budget())),
        // The answer to a remote read.
        () => ({ series: atOnce(readReadResponse(bytes, budget())), metadata: [] }),
      ];
      for (const read of readings) {
        try {
          const request = read();
          const intake = new WriteIntake(createRegistry(), options);
          atOnce(intake.take(request));
          atOnce(intake.settle(0));
          const { values } = intake.health;
          atOnce(intake.take(request));
          atOnce(intake.settle(0));
          const { values: again, waiting } = intake.health;
          assertThat(again === values, () => `${values} values are ${again} when the request comes again`);
          assertThat(waiting === 0, () => `${waiting} numbers wait`);
        } catch (caught) {
          error = caught;
        }
      }
      if (error !== undefined) throw error;
    },
  };
}

/** A request of version 1: the series of a classic histogram at two times. */
function writeVersion1(/** @type {any} */ writer) {
  const label = (/** @type {string} */ name, /** @type {string} */ value) =>
    writer.uint32(0x0a).fork().uint32(0x0a).string(name).uint32(0x12).string(value).join();
  for (const [suffix, le, value] of [
    ['_bucket', '0.5', 2],
    ['_bucket', '+Inf', 3],
    ['_sum', '', 1.5],
    ['_count', '', 3],
  ]) {
    writer.uint32(0x0a).fork();
    label('__name__', `y${suffix}`);
    if (le !== '') label('le', String(le));
    for (const timeMs of [1_700_000_000_000, 1_700_000_015_000]) {
      writer.uint32(0x12).fork().uint32(0x09).double(Number(value)).uint32(0x10).int64(timeMs).join();
    }
    writer.join();
  }
  return writer.finish();
}

/** Reads an answer to a scrape, and compares what is in it. */
async function expositionReader() {
  const { readExposition } = await importSource('prometheus/src/scraper/index.ts');
  return (/** @type {Uint8Array} */ bytes, /** @type {string} */ format) => {
    const names = new Set();
    for (const { name, histograms } of readExposition(bytes, format).families) {
      assertThat(!names.has(name) && histograms.length > 0, () => `the family ${name}`);
      names.add(name);
      const labels = new Set(histograms.map((/** @type {any} */ one) => JSON.stringify(one.labels)));
      assertThat(labels.size === histograms.length, () => `a set of labels of ${name} comes twice`);
      for (const { counted, rejected } of histograms) {
        let total = 0;
        for (let slot = 0; slot < counted.layout.slotCount; slot++) {
          const count = counted.counts.at(slot);
          assertThat(Number.isSafeInteger(count) && count >= 0, () => `${name} has the count ${count}`);
          total += count;
        }
        assertThat(total === counted.counts.total, () => `${name} has ${total} of ${counted.counts.total}`);
        assertThat(rejected === undefined || rejected.notANumber > 0, () => `${name} rejects nothing`);
      }
    }
  };
}

/** @returns {Promise<Target>} */
export async function promqlRewriting() {
  const { migrateQueries } = await importSource('prometheus/src/migrate/index.ts');
  const { addCase, bindVariables } = await importSource('prometheus/src/migrate/generated/bind-query.ts');
  const { planLabels } = await importSource('prometheus/src/migrate/generated/plan-labels.ts');
  const { readSeries } = await importSource('prometheus/src/migrate/generated/read-series.ts');
  const { QueryRefusal } = await importSource('prometheus/src/migrate/query-verdict.ts');
  const options = { histograms: new Set(['x']), schema: 3 };
  return {
    form: 'text',
    seeds: [
      'histogram_quantile(0.99, sum by (le, a) (rate(x_bucket{a=~"b|c",le=~".+"}[5m] offset 1h))) > 0.5 # why',
      '1 - sum(rate(x_bucket{le="0.3"}[$__rate_interval])) by (a) / sum(rate(x_count[[[w]]])) by (a)',
      `sum by (a) (rate($${'{m}'}_sum{{{.x}}}[5m:1m] @ end())) / ignoring (le) group_left (b) (x_count or vector(0))`,
      'sum(x_bucket{le=~"1(\\.0)?"} or vector(0)) unless on (a) {__name__="x_bucket", "a.b"=\'c\'}',
      'max_over_time(label_replace(irate({"x_bucket"}[5m]), "d", `$1`, "a", "(.*)")[1h:])',
    ],
    words: [
      '_bucket',
      '_count',
      '_sum',
      'le',
      'by (',
      'without (',
      'on (',
      'rate(',
      '[5m]',
      '"',
      '`',
      '$x',
      '[[',
      ']]',
      '{{',
      '}}',
      '#',
      ' or ',
      ' / ',
      'histogram_quantile(',
    ],
    run(text) {
      const [verdict] = migrateQueries([{ text, use: 'rule' }], options);
      if (verdict.outcome !== 'rewritten') return;
      const [again] = migrateQueries([{ text: verdict.after, use: 'rule' }], options);
      assertThat(
        again.outcome !== 'refused' || again.code !== 'syntax',
        () => `${verdict.after} is no query`,
      );
      try {
        const bound = bindVariables(text);
        if (bound === undefined) return;
        planLabels(readSeries(addCase(bound, '1')), { isSimple: false });
      } catch (error) {
        if (!(error instanceof QueryRefusal)) throw error;
      }
    },
  };
}
