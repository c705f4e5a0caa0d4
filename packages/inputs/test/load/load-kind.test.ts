import {
  autocannonLine,
  k6Points,
  k6Summaries,
  k6Table,
  ohaSummary,
  ohaTable,
} from '@hdrscope/testing/load-samples';
import { recogniseInput } from '../../src/index.ts';

const REQUESTS = [{ ms: 1 }, { ms: 2, status: 500 }];

test.each([
  ['k6 points', k6Points(REQUESTS)],
  // As k6 wrote points before version 0.36.
  [
    'k6 points',
    '{"type":"Point","data":{"time":"2021-01-01T00:00:00Z","value":1,"tags":{}},"metric":"vus"}\n',
  ],
  ['k6 table', k6Table(REQUESTS)],
  ['oha table', ohaTable(REQUESTS)],
  ['oha summary', ohaSummary({ p50: 0.001 }, { 200: 2 })],
  ['autocannon', autocannonLine({ p50: 4, totalCount: 10 })],
  ...Object.values(k6Summaries).map((summary) => ['k6 summary', summary({ med: 1 })]),
])('recognises %s', (kind, text) => {
  expect(recogniseInput(text, { isWhole: true })).toBe(kind);
});

test('takes other JSON and other tables for what they were', () => {
  expect(recogniseInput('{"metrics": [1, 2]}\n', { isWhole: true })).toBe('json');
  expect(recogniseInput('{"kind": "percentiles"}\n', { isWhole: true })).toBe('json');
  expect(recogniseInput('{"latency": 4}\n{"latency": 5}\n', { isWhole: true })).toBe('json');
});
