import {
  countNumbers,
  findNumberUnit,
  listNumberPlaces,
  readCounts,
  readEncoded,
  readFigures,
  readLoadSummary,
  readRequests,
  readWrkErrors,
  recogniseInput,
} from '@hdrscope/inputs';
import { importLog, importOtlp, recogniseOtlp } from '@hdrscope/inputs/history';
import {
  readDdsketch,
  readDdsketchBinary,
  readElasticsearch,
  readEnvoyStats,
  readVmranges,
  writeDdsketch,
  writeElasticsearch,
} from '@hdrscope/inputs/sketches';
import { createStatsdReader, readStatsd } from '@hdrscope/inputs/statsd';
import { k6Points } from '@hdrscope/testing/load-samples';
import { recorded } from './core.ts';
import { LOG } from './logs.ts';
import { type RightCalls, right } from './right-call.ts';

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const histogram = recorded();
const sketch = { counted: histogram };
const ddsketch = writeDdsketch(sketch).content as Uint8Array;
const texts = [{ name: 'a', beginning: '1\n2\n', bytes: bytesOf('1\n2\n') }];

export const INPUTS: RightCalls = {
  'inputs.countNumbers': right(countNumbers, texts, {}),
  'inputs.findNumberUnit': right(findNumberUnit, texts, {}),
  'inputs.importLog': right(importLog, LOG.path, './imported', { metric: 'jobs', unit: 'ms' }),
  'inputs.importOtlp': right(importOtlp, [], './imported-otlp', {}),
  'inputs.listNumberPlaces': right(listNumberPlaces, '1\n'),
  'inputs.readDdsketch': right(readDdsketch, ddsketch, 'sketches-go'),
  // Logarithmic, gamma 1.5, no bins.
  'inputs.readDdsketchBinary': right(
    readDdsketchBinary,
    Uint8Array.of(2, 0, 0, 0, 0, 0, 0, 0xf8, 0x3f, ...new Uint8Array(8)),
  ),
  'inputs.readElasticsearch': right(readElasticsearch, '{"scale":0}'),
  'inputs.readEnvoyStats': right(readEnvoyStats, '{"stats":[]}'),
  'inputs.readVmranges': right(readVmranges, 'a 1'),
  'inputs.writeDdsketch': right(writeDdsketch, sketch, {}),
  'inputs.writeElasticsearch': right(writeElasticsearch, sketch, {}),
  'inputs.readEncoded': right(readEncoded, bytesOf(histogram.toBase64()), {}),
  'inputs.readFigures': right(readFigures, bytesOf('{}'), {}),
  'inputs.readLoadSummary': right(readLoadSummary, bytesOf('{}'), {}),
  'inputs.readRequests': right(
    readRequests,
    'k6 points',
    bytesOf(k6Points([{ ms: 7 }])),
    { onRequest: () => {} },
    {},
  ),
  'inputs.readCounts': right(readCounts, 'locust json', bytesOf('[]'), {}),
  'inputs.readWrkErrors': right(readWrkErrors, 'a'),
  'inputs.createStatsdReader': right(createStatsdReader, { find: () => undefined, record: () => {} }),
  'inputs.readStatsd': right(readStatsd, bytesOf('a:1|h')),
  'inputs.recogniseInput': right(recogniseInput, '1\n', {}),
  'inputs.recogniseOtlp': right(recogniseOtlp, bytesOf('{}')),
};
