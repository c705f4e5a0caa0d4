import { Histogram } from '@hdrscope/core';
import { createRegistry } from '@hdrscope/registry';
import { expectMisspelt } from '@hdrscope/testing/refusals';
import {
  convertToV2,
  createProcessorFiles,
  followLog,
  formatInterval,
  IntervalLogWriter,
  ingestLog,
  ingestLogEntries,
  mergeLogs,
  openIntervalLog,
  parsePercentileText,
  processLog,
  readEntries,
  readHistograms,
  readIntervals,
  reintervalLog,
  sliceLog,
  sumLogs,
  summarizeLogs,
} from '../src/index.ts';
import { decodeIntervals, selects } from '../src/internal.ts';
import { all } from './support/read.ts';

/** Options of any kind, as a program without types passes them. */
const wrong = (options: object): never => options as never;

const LOG = './none.hlog';
const histogram = new Histogram();
const registry = createRegistry();

async function firstInterval() {
  const line = formatInterval(histogram, { startSec: 0, endSec: 1 });
  for await (const interval of readIntervals([new TextEncoder().encode(line)])) return interval;
  throw new Error('the log has no interval');
}

test.each<[call: string, meant: string, action: () => unknown]>([
  ['convertToV2', 'tags', () => convertToV2(LOG, wrong({ tag: ['a'] }))],
  ['decodeIntervals', 'storage', () => decodeIntervals(LOG, wrong({ stroage: 'sparse' }))],
  ['followLog', 'pollMs', () => followLog(LOG, wrong({ pollMillis: 7 }))],
  ['mergeLogs', 'onOutOfOrder', () => mergeLogs([LOG], wrong({ outOfOrder: () => {} }))],
  ['parsePercentileText', 'valueScale', () => parsePercentileText('', wrong({ valueScal: 7 }))],
  ['readHistograms', 'valueScale', () => readHistograms([], wrong({ valuScale: 7 }))],
  ['reintervalLog', 'lengthSec', () => reintervalLog(LOG, wrong({ lengthSecs: 60 }))],
  ['selects', 'tags', () => selects(wrong({ tag: ['a'] }))],
  ['sliceLog', 'since', () => sliceLog(LOG, wrong({ sinse: { offsetSec: 1 } }))],
  ['summarizeLogs', 'onMalformed', () => summarizeLogs([LOG], wrong({ onMalform: () => {} }))],
  ['sumLogs', 'maxLineBytes', () => sumLogs([LOG], wrong({ maxLineByte: 7 }))],
  ['createProcessorFiles', 'signal', () => createProcessorFiles(wrong({ singal: undefined }))],
  ['processLog', 'inputPath', () => processLog(wrong({ inptPath: LOG }), wrong({}))],
  [
    'processLog, in movingWindow',
    'lengthMs',
    () => processLog({ movingWindow: wrong({ lenghtMs: 7 }) }, wrong({})),
  ],
  [
    'LogInterval.histogram',
    'storage',
    () => firstInterval().then((interval) => interval.histogram(wrong({ store: 'sparse' }))),
  ],
  ['readEntries', 'onBytes', () => readEntries(LOG, wrong({ onByte: () => {} }))],
  ['readIntervals', 'since', () => readIntervals(LOG, wrong({ sinse: { offsetSec: 7 } }))],
  ['openIntervalLog', 'intervalMs', () => openIntervalLog(registry, wrong({ path: LOG, interval: 7 }))],
  [
    'openIntervalLog, in rotation',
    'sizeBytes',
    () => openIntervalLog(registry, { path: LOG, rotation: wrong({ sizeByte: 7 }) }),
  ],
  [
    'formatInterval',
    'valueScale',
    () => formatInterval(histogram, wrong({ startSec: 0, endSec: 1, valueScal: 7 })),
  ],
  ['IntervalLogWriter', 'baseTimeMs', () => new IntervalLogWriter(() => {}, wrong({ baseTime: 7 }))],
  ['ingestLog', 'seriesOf', () => ingestLog(registry, LOG, wrong({ serieOf: () => undefined }))],
  ['ingestLogEntries', 'seriesOf', () => ingestLogEntries(registry, wrong({ serieOf: () => undefined }))],
])('%s refuses an option that does not exist, and names %s', async (_call, meant, action) => {
  await expectMisspelt(action, meant);
});

test.each<[message: string, action: () => unknown]>([
  ['onBytes must be a function, got 7', () => all(readEntries(LOG, wrong({ onBytes: 7 })))],
  ['onMalformed must be a function, got true', () => all(readIntervals(LOG, wrong({ onMalformed: true })))],
  ['onOutOfOrder must be a function, got 7', () => all(mergeLogs([LOG], wrong({ onOutOfOrder: 7 })))],
  [
    'maxTags must be an integer of at least 1, or Infinity, got 0',
    () => summarizeLogs([LOG], { maxTags: 0 }),
  ],
  [
    "storage must be 'dense' or 'sparse', got \"thin\"",
    () => all(decodeIntervals(LOG, wrong({ storage: 'thin' }))),
  ],
  ['signal must be an AbortSignal, got 7', () => all(followLog(LOG, wrong({ signal: 7 })))],
  ['seriesOf must be a function, got "a"', () => ingestLogEntries(registry, wrong({ seriesOf: 'a' }))],
  [
    'timeZone must be the IANA name of a zone, got "Mars"',
    () => new IntervalLogWriter(() => {}, { timeZone: 'Mars' }),
  ],
])('%s', async (message, action) => {
  await expect((async () => action())()).rejects.toMatchObject({ code: 'ERR_INVALID_OPTION', message });
});
