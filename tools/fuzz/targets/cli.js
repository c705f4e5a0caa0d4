import { importSource } from '../../lib/import-source.js';
import { assertThat } from '../check.js';

/** @typedef {import('../engine.js').Target} Target */

/** The line that a command prints for an error. @param {any} error */
const isRefusal = (error) => error?.name === 'Refusal' || error?.constructor?.name === 'UsageError';

/** @returns {Promise<Target>} */
export async function moment() {
  const { parseMoment } = await importSource('cli/src/moment.ts');
  return {
    form: 'text',
    seeds: [
      '90',
      '1m30s',
      '2026-03-01T12:00:00Z',
      '2026-03-01 12:00',
      '1441812279.474',
      '2026-03-01T12:00:00+02:00',
    ],
    words: ['T', 'Z', '+', ':', '-', '.', 'm', 's', 'h', '00', ' '],
    allows: isRefusal,
    run(text) {
      const { epochSec = 0, offsetSec = 0 } = parseMoment(text, '--since');
      assertThat(Number.isFinite(epochSec) && Number.isFinite(offsetSec), () => `${epochSec}, ${offsetSec}`);
    },
  };
}

/** @returns {Promise<Target>} */
export async function queryDocument() {
  const { readFiles } = await importSource('cli/src/commands/migrate/documents.ts');
  const { migrateFiles } = await importSource('cli/src/commands/migrate/migrate-files.ts');
  const { Refusal } = await importSource('cli/src/command.ts');
  const knowledge = { histograms: new Set(['x']), schema: 3 };
  return {
    form: 'text',
    seeds: [
      'groups:\n  - rules:\n      - record: a_bucket:b # c\n        expr: |\n          sum by (le) (rate(x_bucket[5m])) # d\n      - alert: e\n        expr: "histogram_quantile(0.9, x_bucket{f=\\"g\\"})"\n',
      '{"panels": [{"type": "heatmap", "targets": [{"expr": "sum by (le) (x_bucket{a=~\\"\\u0024b\\"})"}]}], "templating": {"list": [{"name": "c", "query": "label_values(x_bucket, d)"}]}}',
      'slos: [{sli: {events: {error_query: \'sum(rate(x_bucket{le="0.3"}[{{.window}}]))\', total_query: >-\n  sum(rate(x_count[5m]))\n}}}]\n',
    ],
    words: [
      'expr: ',
      '"expr": ',
      'x_bucket',
      '|\n',
      '>-\n',
      '\\"',
      "''",
      '#',
      '&a ',
      '*a',
      '- ',
      '{',
      '}',
      '[',
      ']',
      '---\n',
    ],
    async run(text) {
      /** @param {string} document */
      const read = async (document) => (await readFiles(['-'], { stdin: chunk(document) })).files;
      try {
        const [{ after }] = await migrateFiles(await read(text), knowledge, async () => undefined);
        await read(after);
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
      }
    },
  };
}

/** @returns {Promise<Target>} */
export async function programCode() {
  const { migratePrograms } = await importSource('cli/src/commands/migrate/code/index.ts');
  const { Refusal } = await importSource('cli/src/command.ts');
  return {
    form: 'text',
    seeds: [
      "import { createServer } from 'node:http';\nimport client from 'prom-client'; // a\nconst h = new client.Histogram({\n  name: 'a_seconds', // b\n  help: 'c',\n  labelNames: ['d', 'e'],\n  buckets: [0.1, 1],\n});\ncreateServer(async (req, res) => {\n  if (req.url === '/metrics') {\n    res.setHeader('content-type', client.register.contentType);\n    res.end(await client.register.metrics());\n    return;\n  }\n  const end = h.startTimer({ d: req.url });\n  h.observe({ d: 'f', e }, 0.2);\n  h.labels('g', req.method).observe(1);\n  end();\n});\n",
      'const { Histogram, register } = require("prom-client")\nconst app = require("express")()\nconst h = new Histogram({ name: "a_ms", help: "b" })\napp.get("/m", (req, res) => register.metrics().then((page) => res.send(page)))\nh.observe(1)\n',
      "import { PrometheusExporter } from '@opentelemetry/exporter-prometheus';\nimport { AggregationType, MeterProvider } from '@opentelemetry/sdk-metrics';\nconst exporter = new PrometheusExporter({ port: 1 });\nconst provider = new MeterProvider({ readers: [exporter], views: [{ instrumentName: 'a.*', aggregation: { type: AggregationType.EXPONENTIAL_HISTOGRAM } }] });\n",
    ],
    words: [
      '(',
      ')',
      '{',
      '}',
      '[',
      ']',
      ',',
      ';',
      '`',
      '${',
      '/*',
      '*/',
      '//',
      '=>',
      '.observe',
      '.labels',
      'h',
      'await ',
      'export ',
      '\n',
    ],
    async run(text) {
      /** @param {string} before */
      const migrate = async (before) => {
        const { modules, unread } = await migratePrograms([{ path: 'program.ts', text: before }]);
        if (unread.length > 0) throw unread[0].refusal;
        return modules[0]?.after ?? before;
      };
      try {
        const after = await migrate(text);
        const again = await migrate(after);
        assertThat(again === after, () => `a second run changes it again: ${again}`);
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
      }
    },
  };
}

/** A stream with a text. @param {string} text */
async function* chunk(text) {
  yield new TextEncoder().encode(text);
}
