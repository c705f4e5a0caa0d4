import { formatPercentiles } from '@hdrscope/core';
import {
  convertToV2,
  createProcessorFiles,
  followLog,
  formatBaseTime,
  formatComment,
  formatInterval,
  formatSeriesTag,
  formatStartTime,
  IntervalLogWriter,
  ingestLog,
  ingestLogEntries,
  mergeLogs,
  openIntervalLog,
  parsePercentileText,
  parseSeriesTag,
  processLog,
  readEntries,
  readHistograms,
  readIntervals,
  reintervalLog,
  runProcessor,
  sliceLog,
  snapshotsOfLogs,
  sumLogs,
  summarizeLogs,
} from '@hdrscope/interval-log';
import { parseLog, recogniseText } from '@hdrscope/interval-log/parser';
import { createRegistry, type Registry } from '@hdrscope/registry';
import { recorded } from './core.ts';
import { filled } from './registry.ts';
import { first, flushOnce, type RightCalls, right } from './right-call.ts';

const histogram = recorded();

/** A log of two intervals, and the file of the test that holds it. */
export const LOG = {
  path: './jobs.hlog',
  text: [0, 1]
    .map((startSec) =>
      formatInterval(histogram, {
        tag: 'jobs',
        startSec: 1_795_380_746 + startSec,
        endSec: 1_795_380_747 + startSec,
      }),
    )
    .join(''),
};
const interval = await first(readIntervals([new TextEncoder().encode(LOG.text)]));
const timed = recorded();
timed.startTimeMs = 0;
timed.endTimeMs = 1000;
const output = { write: () => {} };
const io = { stdin: [], stdout: output, stderr: output, files: createProcessorFiles() };

export const INTERVAL_LOG: RightCalls = {
  'interval-log.convertToV2': right(convertToV2, LOG.path, {}),
  'interval-log.createProcessorFiles': right(createProcessorFiles, {}),
  'interval-log.followLog': right(followLog, LOG.path, { finishSignal: AbortSignal.abort() }),
  'interval-log.formatBaseTime': right(formatBaseTime, 0),
  'interval-log.formatComment': right(formatComment, 'a'),
  'interval-log.formatInterval': right(formatInterval, histogram, { startSec: 0, endSec: 1 }),
  'interval-log.formatSeriesTag': right(formatSeriesTag, 'jobs', {}),
  'interval-log.formatStartTime': right(formatStartTime, 0),
  'interval-log.ingestLog': right(ingestLog, createRegistry(), LOG.path, {}),
  'interval-log.ingestLogEntries': right(
    (registry: Registry, options: object) => ingestLogEntries(registry, options).take(interval as never),
    createRegistry(),
    {},
  ),
  'interval-log.IntervalLogWriter': right(
    (...args: ConstructorParameters<typeof IntervalLogWriter>) => {
      const writer = new IntervalLogWriter(...args);
      writer.startTime(0);
      writer.interval(timed);
    },
    () => {},
    {},
  ),
  'interval-log.LogInterval.histogram': right((options: object) => interval?.histogram(options), {}),
  'interval-log.mergeLogs': right(mergeLogs, [LOG.path], {}),
  'interval-log.openIntervalLog': right(
    (registry: Registry, options: object) => flushOnce(openIntervalLog(registry, options as never)),
    filled(),
    { path: './sunk.hlog', closeTimeoutMs: 1000 },
  ),
  'interval-log.parseLog': right(parseLog, LOG.text, {}),
  'interval-log.parsePercentileText': right(parsePercentileText, formatPercentiles(histogram), {}),
  'interval-log.parseSeriesTag': right(parseSeriesTag, 'jobs'),
  'interval-log.processLog': right(processLog, { inputPath: LOG.path, tag: 'jobs' }, io),
  'interval-log.readEntries': right(readEntries, LOG.path, {}),
  'interval-log.readHistograms': right(readHistograms, [new TextEncoder().encode(LOG.text)], {}),
  'interval-log.readIntervals': right(readIntervals, LOG.path, {}),
  'interval-log.recogniseText': right(recogniseText, LOG.text),
  'interval-log.reintervalLog': right(reintervalLog, LOG.path, { lengthSec: 60 }),
  'interval-log.runProcessor': right(runProcessor, ['-i', LOG.path], io),
  'interval-log.sliceLog': right(sliceLog, LOG.path, {}),
  'interval-log.snapshotsOfLogs': right(
    (logs: [string], options: object) =>
      snapshotsOfLogs(
        Array.isArray(logs) ? logs.map((path) => ({ entries: readEntries(path) })) : logs,
        options,
      ),
    [LOG.path],
    {},
  ),
  'interval-log.sumLogs': right(sumLogs, [LOG.path], {}),
  'interval-log.summarizeLogs': right(summarizeLogs, [LOG.path], {}),
};
