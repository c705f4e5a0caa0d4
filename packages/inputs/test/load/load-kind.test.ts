import {
  abPercentiles,
  autocannonLine,
  k6Summaries,
  ohaSummary,
  requestTexts,
  vegetaPlot,
} from '@hdrscope/testing/load-samples';
import { recogniseInput } from '../../src/index.ts';
import { recogniseReport } from '../../src/internal.ts';

const REQUESTS = [{ ms: 1 }, { ms: 2, status: 500 }];

test.each<readonly [string, string]>([
  ...Object.entries(requestTexts).map(([form, write]) => [form, write(REQUESTS)] as const),
  // As k6 wrote points before version 0.36.
  [
    'k6 points',
    '{"type":"Point","data":{"time":"2021-01-01T00:00:00Z","value":1,"tags":{}},"metric":"vus"}\n',
  ],
  ['percentiles without counts', abPercentiles(REQUESTS)],
  ['percentiles', vegetaPlot(REQUESTS)],
  ['oha summary', ohaSummary({ p50: 0.001 }, { 200: 2 })],
  ['autocannon', autocannonLine({ p50: 4, totalCount: 10 })],
  ...Object.values(k6Summaries).map((summary) => ['k6 summary', summary({ med: 1 })] as const),
])('recognises %s', (kind, text) => {
  expect(recogniseInput(text, { isWhole: true })).toBe(kind);
});

test('takes other JSON and other tables for what they were', () => {
  expect(recogniseInput('{"metrics": [1, 2]}\n', { isWhole: true })).toBe('json');
  expect(recogniseInput('{"kind": "percentiles"}\n', { isWhole: true })).toBe('json');
  expect(recogniseInput('{"latency": 4}\n{"latency": 5}\n', { isWhole: true })).toBe('json');
});

test.each([
  ['hey', '\nSummary:\n  Total:\t0.0123 secs\n  Slowest:\t0.0058 secs\n'],
  ['oha', 'Summary:\n  Success rate:\t100.00%\n  Total:\t200 ms\n'],
  ['ab', 'This is ApacheBench, Version 2.3 <$Revision: 1903618 $>\nCopyright 1996 Adam Twiss\n'],
  ['autocannon', 'Running 10s test @ http://127.0.0.1:3000\n10 connections\n\n'],
  [
    'wrk',
    'Running 30s test @ http://h\n  Thread Stats   Avg      Stdev     Max   +/- Stdev\n    Latency   635.91us\n',
  ],
  ['fio', 'job: (g=0): rw=randread, bs=(R) 4096B-4096B\nfio-3.36\nStarting 1 process\n'],
  ['vegeta', 'Requests      [total, rate, throughput]         500, 50.10, 50.09\nDuration\n'],
  ['Locust', 'Type     Name           # reqs      # fails |    Avg     Min\n--------|----\n'],
  ['Artillery', 'Test run id: x\nAll VUs finished. Total time: 9 seconds\n'],
  ['Gatling', '\n---- Global Information --------------------------------\n> request count\n'],
  ['k6', '     http_req_duration..............: avg=1.2ms min=1ms\n'],
])('recognises the report that %s prints for people', (tool, text) => {
  expect(recogniseInput(text, { isWhole: true })).toBe('report');
  expect(recogniseReport(text)?.tool).toBe(tool);
});
