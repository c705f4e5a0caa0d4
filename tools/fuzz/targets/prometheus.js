import { importSource } from '../../lib/import-source.js';
import { assertThat } from '../check.js';

/** @typedef {import('../engine.js').Target} Target */

/** @returns {Promise<Target>} */
export async function headers() {
  const { negotiate } = await importSource('prometheus/src/index.ts');
  const { wantsGzip } = await importSource('prometheus/src/accept-encoding.ts');
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
