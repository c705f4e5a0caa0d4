import { testShared } from '@hdrscope/testing';
import { OSD_DUMP } from '@hdrscope/testing/osd';
import { formatHistogramDump, parseHistogramLoggers } from '../../src/index.ts';

test('reads all loggers of each daemon, including those without histograms', () => {
  const text = `osd.0: {"cct":{},${OSD_DUMP.slice(1)}\nosd.1: {"cct":{}}`;
  const imported = parseHistogramLoggers(text);
  const names = imported.map(({ daemon, loggers }) => [daemon, loggers.map(({ name }) => name)]);
  expect(names).toEqual([
    ['osd.0', ['cct', 'osd']],
    ['osd.1', ['cct']],
  ]);
  const [, osd] = imported[0]!.loggers;
  expect(osd!.counters.map(({ histogram }) => histogram.totalCount)).toEqual([62_049]);
  expect(parseHistogramLoggers(text, { logger: 'cct' })[0]!.loggers).toEqual([{ name: 'cct', counters: [] }]);
});

testShared(
  'a dump of Ceph 16.2.15 can be written again byte for byte',
  ['data/ceph/real-dump.json', 'data/ceph/real-dump2.json'],
  (...texts) => {
    for (const text of texts) expect(formatHistogramDump(parseHistogramLoggers(text)[0]!.loggers)).toBe(text);
  },
);
