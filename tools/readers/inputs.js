/** Files of each form for the comparison of readers, made of the same latencies in each run. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { makeValues, pathOfPeer } from '../goldens/sketches/values.js';

/** The packages of a peer. @param {string} name @returns {(module: string) => any} */
export function requirePeer(name) {
  return createRequire(join(pathOfPeer(name), 'index.js'));
}

/** Latencies in seconds, of six digits. @param {number} n */
export function makeLatencies(n) {
  return makeValues({ seed: 7, n, least: 0.0005, decades: 4 }).map(([value]) => value);
}

const START_SEC = 1_790_000_000;
const ROUTES = ['/cart', '/checkout', '/search', '/item'];

/** @param {readonly string[]} lines */
function encodeLines(lines) {
  return new TextEncoder().encode(`${lines.join('\n')}\n`);
}

/** A table with six columns. @param {number} rows */
export function makeTable(rows) {
  const lines = makeLatencies(rows).map(
    (value, at) => `${START_SEC + at},GET,${ROUTES[at % 4]},200,${value},service-${at % 7}`,
  );
  return encodeLines(['time,method,route,status,duration,host', ...lines]);
}

/** What `k6 run --out json=FILE` writes: each third point is a duration. @param {number} requests */
export function makeK6Points(requests) {
  const point = (/** @type {string} */ metric, /** @type {number} */ value, /** @type {number} */ at) => {
    const tags = { method: 'GET', name: ROUTES[at % 4], status: '200', expected_response: 'true' };
    const time = new Date((START_SEC + at / 100) * 1000).toISOString();
    return JSON.stringify({ metric, type: 'Point', data: { time, value, tags } });
  };
  const lines = makeLatencies(requests).flatMap((value, at) => [
    point('http_req_duration', value * 1000, at),
    point('http_req_failed', 0, at),
    point('http_req_waiting', value * 900, at),
  ]);
  return encodeLines(lines);
}

/** A log of nginx with the duration at the end of each line. @param {number} requests */
export function makeAccessLog(requests) {
  const lines = makeLatencies(requests).map((value, at) => {
    const second = String(at % 60).padStart(2, '0');
    return `10.0.0.${at % 250} - - [29/Nov/2026:17:00:${second} +0000] "GET ${ROUTES[at % 4]}?id=${at} HTTP/1.1" 200 ${500 + at} "-" "Mozilla/5.0 (X11; Linux x86_64)" ${value.toFixed(3)}`;
  });
  return encodeLines(lines);
}

/** A text of metrics: classic histograms of 15 buckets. @param {number} series */
export function makeScrape(series) {
  const bounds = Array.from({ length: 15 }, (_, at) => 0.001 * 2 ** at);
  const lines = ['# HELP rpc_seconds The duration of a call.', '# TYPE rpc_seconds histogram'];
  for (let at = 0; at < series; at++) {
    const labels = `route="${ROUTES[at % 4]}",host="a${at}"`;
    for (const [slot, bound] of bounds.entries())
      lines.push(`rpc_seconds_bucket{${labels},le="${bound}"} ${slot * 3 + at}`);
    lines.push(`rpc_seconds_bucket{${labels},le="+Inf"} ${50 + at}`);
    lines.push(`rpc_seconds_sum{${labels}} ${at + 0.5}`, `rpc_seconds_count{${labels}} ${50 + at}`);
  }
  return encodeLines(lines);
}

/** A request of OTLP as an object: exponential histograms of 160 buckets. @param {number} points */
export function makeOtlp(points) {
  const dataPoints = Array.from({ length: points }, (_, at) => ({
    attributes: [{ key: 'route', value: { stringValue: `${ROUTES[at % 4]}${at}` } }],
    startTimeUnixNano: `${START_SEC}000000000`,
    timeUnixNano: `${START_SEC + 60}000000000`,
    count: '1600',
    sum: 12.5,
    scale: 4,
    zeroCount: '0',
    positive: { offset: -100, bucketCounts: Array.from({ length: 160 }, () => '10') },
  }));
  const exponentialHistogram = { aggregationTemporality: 2, dataPoints };
  const metrics = [{ name: 'rpc', unit: 's', exponentialHistogram }];
  return { resourceMetrics: [{ resource: {}, scopeMetrics: [{ scope: { name: 'it' }, metrics }] }] };
}

// Source: https://github.com/open-telemetry/opentelemetry-proto/blob/v1.9.0/opentelemetry/proto/metrics/v1/metrics.proto
/** The part of the schema that such a request has. */
export const OTLP_SCHEMA = `syntax = "proto3";
message Request { repeated ResourceMetrics resource_metrics = 1; }
message ResourceMetrics { Resource resource = 1; repeated ScopeMetrics scope_metrics = 2; }
message Resource { repeated KeyValue attributes = 1; }
message ScopeMetrics { Scope scope = 1; repeated Metric metrics = 2; }
message Scope { string name = 1; }
message Metric { string name = 1; string unit = 3; ExponentialHistogram exponential_histogram = 10; }
message KeyValue { string key = 1; AnyValue value = 2; }
message AnyValue { string string_value = 1; }
message ExponentialHistogram { repeated Point data_points = 1; int32 aggregation_temporality = 2; }
message Point {
  repeated KeyValue attributes = 1; fixed64 start_time_unix_nano = 2; fixed64 time_unix_nano = 3; fixed64 count = 4;
  double sum = 5; sint32 scale = 6; fixed64 zero_count = 7; Buckets positive = 8;
}
message Buckets { sint32 offset = 1; repeated uint64 bucket_counts = 2; }`;
