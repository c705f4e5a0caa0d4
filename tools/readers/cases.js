/** Each form with its reader here and the readers of other packages. */
import { findQuantile } from '@hdrscope/core';
import { countNumbers, readRequests } from '@hdrscope/inputs';
import { readDdsketch } from '@hdrscope/inputs/sketches';
import { sumLogs } from '@hdrscope/interval-log';
import { decodeOtlp } from '@hdrscope/otel/receiver';
import { readExposition } from '@hdrscope/prometheus/scraper';
import { logLines } from '../bench/logs.js';
import {
  makeAccessLog,
  makeK6Points,
  makeLatencies,
  makeOtlp,
  makeScrape,
  makeTable,
  OTLP_SCHEMA,
  requirePeer,
} from './inputs.js';

/**
 * A form. Each reader returns what it has found, which must be equal for all, up to a millionth.
 *
 * @typedef {object} Case
 * @property {string} form
 * @property {string} input
 * @property {number} bytes
 * @property {Readonly<Record<string, () => number | Promise<number>>>} readers Ours is the first.
 */

const TABLE_ROWS = 200_000;
const K6_REQUESTS = 50_000;
const LOG_LINES = 100_000;
const SERIES = 2000;
const POINTS = 2000;
const INTERVALS = 2000;
const SKETCHES = 200;

const decoder = new TextDecoder();

/** @param {Uint8Array} bytes */
function toLines(bytes) {
  const lines = decoder.decode(bytes).split('\n');
  lines.pop();
  return lines;
}

function makeSketchCase() {
  const { DDSketch } = requirePeer('sketches-js')('@datadog/sketches-js');
  const sketch = new DDSketch({ relativeAccuracy: 0.01 });
  for (const value of makeLatencies(100_000)) sketch.accept(value);
  const bytes = Buffer.from(sketch.toProto());
  /** @param {() => number} read */
  const repeat = (read) => () => {
    let sum = 0;
    for (let at = 0; at < SKETCHES; at++) sum += read();
    return sum;
  };
  return {
    form: 'DDSketch',
    input: `${SKETCHES} sketches of 100,000 values, and three quantiles of each`,
    bytes: SKETCHES * bytes.length,
    readers: {
      hdrscope: repeat(() => {
        const { counted } = readDdsketch(bytes, 'sketches-js');
        for (const quantile of [0.5, 0.9, 0.99]) findQuantile(counted, quantile);
        return counted.counts.total;
      }),
      '@datadog/sketches-js 2.1.1': repeat(() => {
        const read = DDSketch.fromProto(bytes);
        for (const quantile of [0.5, 0.9, 0.99]) read.getValueAtQuantile(quantile);
        return read.count;
      }),
    },
  };
}

function makeScrapeCase() {
  const bytes = makeScrape(SERIES);
  const parse = requirePeer('form-readers')('parse-prometheus-text-format');
  return {
    form: 'Prometheus text',
    input: `${SERIES} histograms of 15 buckets`,
    bytes: bytes.length,
    readers: {
      hdrscope: () => readExposition(bytes, 'text').families[0]?.histograms.length ?? 0,
      'parse-prometheus-text-format 1.1.1': () => {
        // It puts all series of a metric together, without their labels.
        const { metrics } = (parse.default ?? parse)(decoder.decode(bytes))[0];
        return metrics.length === 1 ? SERIES : Number.NaN;
      },
    },
  };
}

function makeTableCase() {
  const bytes = makeTable(TABLE_ROWS);
  const beginning = decoder.decode(bytes.subarray(0, 10_000));
  const load = requirePeer('form-readers');
  const papaparse = load('papaparse');
  const { parse } = load('csv-parse/sync');
  const { inferSchema, initParser } = load('udsv');
  /** @param {readonly (readonly string[])[]} rows */
  const sum = (rows) => rows.reduce((all, row) => all + Number(row[4]), 0);
  return {
    form: 'a column of CSV',
    input: `${TABLE_ROWS} rows of 6 columns`,
    bytes: bytes.length,
    readers: {
      async hdrscope() {
        let all = 0;
        const onBare = (/** @type {number} */ value) => {
          all += value;
        };
        await countNumbers([{ name: 'it', beginning, bytes }], {
          column: 'duration',
          resolution: 1e-6,
          onBare,
        });
        return all;
      },
      'papaparse 5.7.1': () => sum(papaparse.parse(decoder.decode(bytes).trimEnd()).data.slice(1)),
      'csv-parse 7.0.3': () => sum(parse(Buffer.from(bytes), { from_line: 2 })),
      'udsv 0.7.3': () => {
        const text = decoder.decode(bytes).trimEnd();
        return sum(initParser(inferSchema(text)).stringArrs(text));
      },
    },
  };
}

function makeK6Case() {
  const bytes = makeK6Points(K6_REQUESTS);
  return {
    form: 'points of k6 (NDJSON)',
    input: `${3 * K6_REQUESTS} points, a third of them durations`,
    bytes: bytes.length,
    readers: {
      async hdrscope() {
        let all = 0;
        const onRequest = (/** @type {number} */ durationMs) => {
          all += durationMs;
        };
        await readRequests('k6 points', bytes, { onRequest });
        return all;
      },
      'JSON.parse of each line': () => {
        let all = 0;
        for (const line of toLines(bytes)) {
          const { metric, data } = JSON.parse(line);
          if (metric === 'http_req_duration') all += data.value;
        }
        return all;
      },
    },
  };
}

function makeAccessLogCase() {
  const bytes = makeAccessLog(LOG_LINES);
  const Alpine = requirePeer('form-readers')('alpine');
  const alpine = new Alpine('%h %l %u %t "%r" %>s %B "%{Referer}i" "%{User-agent}i" %T');
  const logFormat =
    '$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent "$http_referer" "$http_user_agent" $request_time';
  return {
    form: 'an access log of nginx',
    input: `${LOG_LINES} lines`,
    bytes: bytes.length,
    readers: {
      async hdrscope() {
        let all = 0;
        const onRequest = (/** @type {number} */ durationMs) => {
          all += durationMs / 1000;
        };
        await readRequests('access log', bytes, { onRequest }, { logFormat });
        return all;
      },
      'alpine 0.2.1': () => {
        let all = 0;
        for (const line of toLines(bytes)) all += Number(alpine.parseLine(line).serveTime);
        return all;
      },
    },
  };
}

function makeOtlpCases() {
  const protobuf = requirePeer('form-readers')('protobufjs');
  const Request = protobuf.parse(OTLP_SCHEMA).root.lookupType('Request');
  const message = makeOtlp(POINTS);
  const json = new TextEncoder().encode(JSON.stringify(message));
  const binary = Request.encode(Request.fromObject(message)).finish();
  const input = `${POINTS} exponential histograms of 160 buckets`;
  /** @param {any} request @returns {number} */
  const count = (request) =>
    request.resourceMetrics[0].scopeMetrics[0].metrics[0].exponentialHistogram.dataPoints.length;
  /** @param {Uint8Array} bytes @param {'json' | 'protobuf'} encoding */
  const decode = async (bytes, encoding) => (await decodeOtlp(bytes, encoding)).points.length;
  return [
    {
      ...{ form: 'OTLP in JSON', input, bytes: json.length },
      readers: {
        hdrscope: () => decode(json, 'json'),
        'JSON.parse': () => count(JSON.parse(decoder.decode(json))),
      },
    },
    {
      ...{ form: 'OTLP in protobuf', input, bytes: binary.length },
      readers: {
        hdrscope: () => decode(binary, 'protobuf'),
        'protobufjs 8.6.6': () => count(Request.decode(binary)),
      },
    },
  ];
}

async function makeLogCase() {
  const bytes = new TextEncoder().encode((await logLines(INTERVALS)).join(''));
  const { build, decodeFromCompressedBase64 } = await import('hdr-histogram-js');
  return {
    form: 'an interval log',
    input: `${INTERVALS} intervals, added up`,
    bytes: bytes.length,
    readers: {
      hdrscope: async () => (await sumLogs([bytes]))?.totalCount ?? 0,
      'hdr-histogram-js 3.0.1': () => {
        const sum = build({
          lowestDiscernibleValue: 1,
          highestTrackableValue: 3_600_000_000_000,
          bitBucketSize: 64,
        });
        for (const line of toLines(bytes)) {
          if (!/^[\d.]+,/.test(line)) continue;
          sum.add(decodeFromCompressedBase64(line.slice(line.lastIndexOf(',') + 1), 64));
        }
        return sum.totalCount;
      },
    },
  };
}

/** All cases. @returns {Promise<readonly Case[]>} */
export async function makeCases() {
  return [
    makeSketchCase(),
    makeScrapeCase(),
    makeTableCase(),
    makeK6Case(),
    makeAccessLogCase(),
    ...makeOtlpCases(),
    await makeLogCase(),
  ];
}
