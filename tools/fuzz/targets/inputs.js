import { readFileSync } from 'node:fs';
import { importSource } from '../../lib/import-source.js';
import { assertThat } from '../check.js';

/** @typedef {import('../engine.js').Target} Target */

/** @returns {Promise<Target>} */
export async function inputForm() {
  const { readEncoded, recogniseInput } = await importSource('inputs/src/index.ts');
  return {
    form: 'text',
    seeds: [
      'HISTFAAAACJ4nJNpmSzMwMDAxAABzFCaEURcm7yEwf4DRCCYCQBa1gTe\n',
      '# ms\n1\n2.5\n',
      '{"osd":{"op_r":{"axes":[]}}}',
      '       Value     Percentile TotalCount 1/(1-Percentile)\n\n',
      '#[Histogram log format version 1.3]\n',
    ],
    words: ['HIST', 'DHIST', ' HIST', '"axes":', '#', '1e5', '\t', '  '],
    mostMb: 512,
    gathers: true,
    run(text) {
      recogniseInput(text);
      const form = recogniseInput(text, { isWhole: true });
      return form === 'encoded' ? readEncoded(new TextEncoder().encode(text)) : undefined;
    },
  };
}

/** @returns {Promise<Target>} */
export async function gatlingLog() {
  const { readRequests } = await importSource('inputs/src/index.ts');
  const goldens = new URL('../../../packages/inputs/test/load/goldens/', import.meta.url);
  const seeds = ['gatling-3.12.0.log', 'gatling-3.14.9.log'].map(
    (name) => new Uint8Array(readFileSync(new URL(name, goldens)).subarray(0, 2000)),
  );
  return {
    form: 'bytes',
    seeds,
    gathers: true,
    async run(bytes) {
      let requests = 0;
      let outcomes = 0;
      await readRequests('gatling log', bytes, {
        onRequest(/** @type {number} */ ms) {
          requests++;
          assertThat(ms >= 0 && Number.isFinite(ms), () => `a request took ${ms} ms`);
        },
        onOutcome() {
          outcomes++;
        },
      });
      assertThat(requests === outcomes, () => `${requests} requests have ${outcomes} outcomes`);
    },
  };
}

/** @returns {Promise<Target>} */
export async function loadSummary() {
  const { readLoadSummary } = await importSource('inputs/src/index.ts');
  return {
    form: 'text',
    seeds: [
      golden('hey-0.1.4.txt'),
      'Type,Name,Request Count,Failure Count,Max Response Time,50%,99.9%,100%\nGET,/a,4,1,9.5,3,9,9\n,Aggregated,4,1,9.5,3,9,9\n',
      '{"aggregate":{"counters":{"http.requests":5,"http.responses":5,"http.codes.503":1},"summaries":{"http.response_time":{"count":5,"max":9.1,"p50":2,"p999":9}}}}',
      'Running 2s test @ http://h/\n  1 threads and 4 connections\n  Thread Stats   Avg      Stdev     Max   +/- Stdev\n    Latency     5.16ms    9.41ms  42.90ms   87.01%\n    Req/Sec     2.47k   126.94     2.64k    85.00%\n  Latency Distribution\n     50%    1.20ms\n     99%   38.84ms\n  4914 requests in 2.00s, 596.68KB read\n',
      '{"sampleInt":1000,"latency":{"p50":4,"max":90,"totalCount":200},"requests":{"total":200},"non2xx":3,"errors":0}',
      '{"summary":{"slowest":0.5},"latencyPercentiles":{"p50":0.02},"statusCodeDistribution":{"200":99,"503":1}}',
      '{"metrics":{"http_req_failed":{"passes":6,"fails":994},"http_reqs":{"count":1000},"http_req_duration":{"med":2.5,"p(99.9)":20.5,"max":30}}}',
    ],
    words: ['"', ',', '%', 'Aggregated', '1e308', '-1', 'null', '{}', '[]', '0.5'],
    gathers: true,
    async run(text) {
      const { count, percentiles } = await readLoadSummary(new TextEncoder().encode(text));
      for (const { percentile, lower, upper, atOrBelow, below } of percentiles) {
        const name = `p${percentile}`;
        assertThat(lower <= upper, () => `${name} lies between ${lower} and ${upper}`);
        assertThat(
          below <= atOrBelow,
          () => `${name} has ${below} values below and ${atOrBelow} at or below`,
        );
        assertThat(count === undefined || atOrBelow <= count, () => `${name} has ${atOrBelow} of ${count}`);
      }
    },
  };
}

const GOLDENS = new URL('../../../packages/inputs/test/load/goldens/', import.meta.url);

/** @param {string} name @param {number} [length] */
function golden(name, length) {
  return readFileSync(new URL(name, GOLDENS), 'utf8').slice(0, length);
}

/** Lines are read, or left out. @param {any} readRequests @param {string} form @param {string} text @param {object} options */
async function readLog(readRequests, form, text, options) {
  let requests = 0;
  let bad = 0;
  const sink = {
    onRequest(/** @type {number} */ ms, /** @type {number} */ at, /** @type {string[]} */ labels = []) {
      requests++;
      assertThat(ms >= 0 && Number.isFinite(ms), () => `a request took ${ms} ms`);
      assertThat(at >= 0 && Number.isFinite(at), () => `a request was at ${at}`);
      assertThat(
        labels.every((label) => label !== ''),
        () => `labels are ${labels}`,
      );
    },
  };
  const onBadLine = () => {
    bad++;
  };
  await readRequests(form, new TextEncoder().encode(text), sink, { ...options, onBadLine });
  const lines = text.split('\n').filter((line) => line !== '').length;
  assertThat(requests + bad === lines, () => `${requests} requests and ${bad} bad lines of ${lines}`);
}

/** @returns {Promise<Target>} */
export async function accessLog() {
  const { readRequests } = await importSource('inputs/src/index.ts');
  const seeds = [
    'nginx-1.22.1.log',
    'nginx-1.22.1_json.log',
    'nginx-1.22.1_upstream.log',
    'apache-2.4.71.log',
  ];
  return {
    form: 'text',
    seeds: seeds.map((name) => golden(name, 1200)),
    words: ['"', '\\"', ' ', '-', '[', '/', '0.003', '1e9', '\n', ' 404 ', '/x'.repeat(40)],
    gathers: true,
    async run(text) {
      const labels = ['route', 'method', 'status', 'path'];
      await readLog(readRequests, 'nginx log', text, { labels });
      const logFormat = '%h %l %u %t \\"%r\\" %>s %O \\"%{Referer}i\\" \\"%{User-Agent}i\\" %D %T %{ms}T';
      await readLog(readRequests, 'access log', text, { labels, logFormat });
      await readLog(readRequests, 'nginx json', text, { labels: ['route', 'upstream'] });
    },
  };
}

/** @returns {Promise<Target>} */
export async function logFormat() {
  const { readRequests } = await importSource('inputs/src/index.ts');
  const lines = golden('nginx-1.22.1.log', 1200);
  return {
    form: 'text',
    seeds: [
      '$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent $request_time',
      '%h %t \\"%r\\" %>s \\"%{User-Agent}i\\" %D %{ms}T',
      '[%START_TIME%] "%REQ(:METHOD)% %REQ(X-ENVOY-ORIGINAL-PATH?:PATH)%" %RESPONSE_CODE% %DURATION% ms',
    ],
    words: ['$', '%', '%{', '}i', '${', '}', '\\"', '%%', '$request_time', '%D', ' '],
    gathers: true,
    run: (format) => readLog(readRequests, 'access log', lines, { logFormat: format }),
  };
}

/** @returns {Promise<Target>} */
export async function loadCounts() {
  const { readCounts } = await importSource('inputs/src/index.ts');
  const bins = '"bins":{"1096":2,"1192":3}';
  return {
    form: 'text',
    seeds: [
      `{"fio version":"fio-3.33","jobs":[{"jobname":"a","read":{"clat_ns":{"min":1100,"max":1190,"N":5,${bins}}}}]}`,
      golden('fio-3.33_coarse_clat_hist.log', 1500),
      '[{"name":"/a","method":"GET","num_requests":4,"num_none_requests":0,"num_failures":1,"max_response_time":120.5,"min_response_time":2.1,"response_times":{"2":3,"120":1}}]',
    ],
    words: ['"', ',', '0', '1e308', '-1', 'null', '{}', '[]', '9223372036854775808', '0, ', '\n'],
    gathers: true,
    async run(text) {
      const bytes = new TextEncoder().encode(text);
      for (const form of ['fio json', 'fio histograms', 'locust json']) {
        const found = await readCounts(form, bytes).catch((/** @type {any} */ error) => {
          if (typeof error.code !== 'string') throw error;
          return [];
        });
        for (const { counts, min, max } of found) {
          assertThat(counts.totalCount > 0, () => `${form} has no counts`);
          assertThat(min === undefined || min <= max, () => `${form} has values from ${min} to ${max}`);
        }
      }
    },
  };
}

/** The first vectors of a form, which its own library made. @param {string} file */
function vectorsOf(file) {
  const path = new URL(`../../../docs/formats/vectors/${file}`, import.meta.url);
  return JSON.parse(readFileSync(path, 'utf8')).vectors;
}

/** @param {any} sketch */
function assertSketch({ counted: { layout, counts } }) {
  for (let slot = counts.next(0); slot < counts.length; slot = counts.next(slot + 1)) {
    const [lower, upper] = [layout.lower(slot), layout.upper(slot)];
    assertThat(lower < upper, () => `a slot is from ${lower} to ${upper}`);
  }
}

/** @returns {Promise<Target>} */
export async function ddsketch() {
  const { readDdsketch, readDdsketchBinary } = await importSource('inputs/src/sketches/index.ts');
  const small = vectorsOf('ddsketch.json').filter((/** @type {any} */ { input }) => input.length < 400);
  return {
    form: 'bytes',
    seeds: small.slice(0, 12).map((/** @type {any} */ { input }) => Buffer.from(input, 'base64')),
    run(/** @type {Uint8Array} */ bytes) {
      for (const read of [
        () => readDdsketch(bytes, 'sketches-java'),
        () => readDdsketch(bytes, 'sketches-py'),
        () => readDdsketchBinary(bytes),
      ]) {
        try {
          assertSketch(read());
        } catch (error) {
          if (typeof (/** @type {any} */ (error).code) !== 'string') throw error;
        }
      }
    },
  };
}

/** @returns {Promise<Target>} */
export async function sketchText() {
  const { readElasticsearch, readEnvoyStats, readVmranges } = await importSource(
    'inputs/src/sketches/index.ts',
  );
  const texts = ['circllhist.json', 'vmrange.json']
    .flatMap(vectorsOf)
    .map((/** @type {any} */ { input }) => input);
  return {
    form: 'text',
    seeds: [
      '{"scale":38,"sum":16.4,"min":0.1,"max":0.5,"positive":{"indices":[-913124641742,-638246734798],"counts":[3,7]}}',
      '{"scale":0,"zero":{"count":1,"threshold":0.1},"negative":{"indices":[1,4],"counts":[2,1]}}',
      ...texts.map((/** @type {string} */ text) => text.slice(0, 1500)),
    ],
    words: [
      '"',
      ',',
      '-1',
      '1e308',
      '9223372036854775808',
      '[]',
      '{}',
      '"width":',
      'vmrange="',
      '...',
      '+Inf',
      '_bucket{',
    ],
    run(text) {
      for (const read of [
        () => [readElasticsearch(text)],
        () => readEnvoyStats(text),
        () => readVmranges(text),
      ]) {
        try {
          for (const sketch of read()) assertSketch(sketch);
        } catch (error) {
          if (typeof (/** @type {any} */ (error).code) !== 'string') throw error;
        }
      }
    },
  };
}

/** @returns {Promise<Target>} */
export async function statsdPacket() {
  const { readStatsd } = await importSource('inputs/src/statsd/index.ts');
  return {
    form: 'bytes',
    seeds: [
      'a.b:1:2.5:32|d|@0.5|#k:v,flag|c:ci-7f3,in-5|e:x|card:low\nc:7|h\r\nd:1|c|T1656581400\n',
      'a,k=v:1|ms\nb;k=v;w=x:-2e3|ms\nc#k=v:3|ms\nd[k=v].e:4|ms\n',
      '_e{5,4}:title|text|#a\n_sc|x|2|m:y\nusers:abc|s\nfuel:+1|g\n',
    ].map((text) => new TextEncoder().encode(text)),
    run(/** @type {Uint8Array} */ bytes) {
      const { lines, malformed, leftOut } = readStatsd(bytes);
      const others = Object.values(leftOut).reduce((sum, count) => sum + Number(count), 0);
      let most = 1;
      for (const byte of bytes) if (byte === 10) most++;
      const counted = lines.length + malformed.length + others;
      assertThat(counted <= most, () => `${counted} of ${most} lines`);
      for (const { name, values, sampleRate } of lines) {
        assertThat(name !== '' && values.length > 0, () => 'a line has no name or no values');
        assertThat(values.every(Number.isFinite), () => `the values are ${values}`);
        assertThat(sampleRate > 0 && sampleRate <= 1, () => `the sample rate is ${sampleRate}`);
      }
    },
  };
}
