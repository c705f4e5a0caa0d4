/** Interval logs: reading in a program, and processing by a command. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { crc32 } from 'node:zlib';
import { findJar } from '../java.js';
import { hdrJs, hdrscope, hdrWasm } from '../libraries.js';
import { logFile, logLines } from '../logs.js';

/** @import { HdrJs } from '../libraries.js' */
/** @import { Group, Setup } from '../types.js' */

const INTERVALS = 20_000;
const HOUR = { highest: 3_600_000_000_000 };
const command = fileURLToPath(import.meta.resolve('hdrscope/package.json')).replace(
  'package.json',
  'bin/hdrscope.js',
);

/**
 * Reads a log and adds all its intervals to one histogram.
 *
 * @param {(file: string) => Promise<number> | number} read returns the total count
 * @returns {Setup}
 */
function reading(read) {
  return async () => {
    const file = await logFile(INTERVALS);
    let total = 0;
    return {
      async run(iterations) {
        for (let i = 0; i < iterations; i++) total = await read(file);
      },
      answer: () => total,
    };
  };
}

/**
 * @param {typeof hdrJs | typeof hdrWasm} make
 * @param {boolean} useWebAssembly
 * @returns {Setup}
 */
function readingWithHdrJs(make, useWebAssembly) {
  return async () => {
    const { HistogramLogReader } = await import('hdr-histogram-js');
    const total = await make(HOUR);
    return reading((file) => {
      total.reset();
      const reader = new HistogramLogReader(readFileSync(file, 'utf8'), 32, useWebAssembly);
      for (;;) {
        const interval = reader.nextIntervalHistogram();
        if (interval === null) return total.totalCount;
        total.add(interval);
        // Memory of WebAssembly must be freed explicitly.
        interval.destroy();
      }
    })();
  };
}

/**
 * Runs a whole process that processes a log. The cost includes the start of the process.
 *
 * @param {(file: string) => readonly [string, ...string[]]} commandLine
 * @returns {Setup}
 */
function processing(commandLine) {
  return async () => {
    const [program, ...args] = commandLine(await logFile(INTERVALS));
    let printed = 0;
    return {
      run(iterations) {
        for (let i = 0; i < iterations; i++) {
          const { status, stdout } = spawnSync(program, args, { maxBuffer: 2 ** 26 });
          if (status !== 0) throw new Error(`${program} ended with ${status}`);
          printed = crc32(stdout);
        }
      },
      // Equal work has output that is equal byte for byte.
      answer: () => printed,
    };
  };
}

/**
 * The largest resident size of the command while it reads a log from standard input.
 *
 * @param {number} bytes
 * @returns {Setup}
 */
function peakMemory(bytes) {
  return async () => {
    const [, , , ...intervals] = await logLines(INTERVALS);
    const block = Buffer.from(intervals.join(''));
    return {
      async measure() {
        const report =
          'process.on("exit", () => console.error("peak " + process.resourceUsage().maxRSS * 1024))';
        const child = spawn(
          process.execPath,
          ['--import', `data:text/javascript,${encodeURIComponent(report)}`, command, 'log', 'process'],
          { stdio: ['pipe', 'ignore', 'pipe'] },
        );
        let said = '';
        child.stderr.on('data', (text) => {
          said += text;
        });
        const closed = once(child, 'close');
        for (let sent = 0; sent < bytes; sent += block.length) {
          const part = block.subarray(0, block.lastIndexOf(10, bytes - sent) + 1);
          if (!child.stdin.write(part)) await once(child.stdin, 'drain');
        }
        child.stdin.end();
        await closed;
        const peak = /^peak (\d+)$/m.exec(said);
        if (peak === null) throw new Error(said);
        return Number(peak[1]);
      },
    };
  };
}

/** @type {readonly Group[]} */
export default [
  {
    id: 'log-read',
    title: `read and add up an interval log of ${INTERVALS} intervals`,
    rounds: 5,
    cases: {
      'hdrscope reader': async () => {
        const { readIntervals } = await import('@hdrscope/interval-log');
        const total = await hdrscope(HOUR);
        return reading(async (file) => {
          total.reset();
          for await (const interval of readIntervals(file)) interval.addTo(total);
          return total.totalCount;
        })();
      },
      'hdr-histogram-js reader, 32 bit': readingWithHdrJs(hdrJs, false),
      'hdr-histogram-js reader, WASM': readingWithHdrJs(hdrWasm, true),
    },
  },
  {
    id: 'log-process',
    title: `the whole process: percentiles of an interval log of ${INTERVALS} intervals`,
    rounds: 5,
    agree: 0,
    cases: {
      'hdrscope log process': processing((file) => [process.execPath, command, 'log', 'process', '-i', file]),
      'Java HistogramLogProcessor': processing((file) => {
        const jar = findJar();
        if (jar === undefined) throw new Error('no HdrHistogram.jar (set HDRSCOPE_HDRHISTOGRAM_JAR)');
        return ['java', '-cp', jar, 'org.HdrHistogram.HistogramLogProcessor', '-i', file];
      }),
    },
  },
  {
    id: 'log-memory',
    title: 'peak memory of log process',
    unit: 'bytes',
    rounds: 1,
    cases: {
      'hdrscope, log of 1 GB': peakMemory(1e9),
      'hdrscope, log of 100 MB': peakMemory(1e8),
      'hdrscope, log of 10 MB': peakMemory(1e7),
    },
  },
];
