import { OSD_DUMP, OSD_DUMP_LATER } from '@hdrscope/testing/osd';
import { logText, type Written } from './logs.ts';

/** Numbers from 0 to 1 that are the same in every run. Source: Park and Miller's generator. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

/** Some milliseconds, with a long tail. */
function latencyMs(random: () => number, typicalMs: number): number {
  return typicalMs * (0.5 + random()) * random() ** -0.3;
}

/** Latencies of ten thousand requests in milliseconds, in lines. */
function latencyText(seed: number, typicalMs: number): string {
  const random = createRandom(seed);
  return Array.from({ length: 10_000 }, () => `${latencyMs(random, typicalMs).toFixed(3)}\n`).join('');
}

/** Twenty minutes of a service in intervals of a minute. */
function serviceLog(seed: number, putFactor: number): string {
  const random = createRandom(seed);
  const latency = (typicalMs: number): number => latencyMs(random, typicalMs);
  const intervals: Written[] = [];
  for (let at = 0; at < 1200; at += 60) {
    intervals.push({ tag: 'get', at, length: 60, ms: Array.from({ length: 800 }, () => latency(2)) });
    intervals.push({
      tag: 'put',
      at,
      length: 60,
      ms: Array.from({ length: 200 }, () => latency(8 * putFactor)),
    });
  }
  return logText(intervals);
}

/** A minute of a load test. */
function loadLog(): string {
  const random = createRandom(5);
  const some = (count: number, typicalMs: number): number[] =>
    Array.from({ length: count }, () => latencyMs(random, typicalMs));
  return logText(
    Array.from({ length: 60 }, (_, at): Written[] => [
      { tag: 'get', at, ms: some(500, 2) },
      { tag: 'put', at, ms: some(50, 8) },
    ]).flat(),
  );
}

/** Half a minute of a load test, on a machine that is faster in one run than in another. */
function runLog(seed: number, factor: number): string {
  const random = createRandom(seed);
  const speed = factor * (0.97 + 0.06 * random());
  return logText(
    Array.from({ length: 30 }, (_, at) => ({
      at,
      ms: Array.from({ length: 300 }, () => latencyMs(random, 5 * speed)),
    })),
  );
}

/** Five runs of a side. */
function runLogs(name: string, factor: number): Record<string, () => string> {
  return Object.fromEntries(
    [1, 2, 3, 4, 5].map((run) => [`${name}-${run}.hlog`, () => runLog(100 * factor + run, factor)]),
  );
}

/** A run of each of 24 builds, of which the last six are slower. */
function buildLogs(): Record<string, () => string> {
  return Object.fromEntries(
    Array.from({ length: 24 }, (_, at) => [
      `build-${1216 + at}.hlog`,
      () => runLog(500 + 7 * at, at < 18 ? 1 : 1.12),
    ]),
  );
}

/** The access log of a shop behind nginx. */
function accessLog(): string {
  const random = createRandom(9);
  return Array.from({ length: 4000 }, () => {
    const id = Math.floor(random() * 9000);
    const [path, typicalMs] = random() < 0.7 ? [`/cart/${id}`, 12] : ['/search?q=red', 40];
    const status = path.startsWith('/cart') && random() < 0.02 ? 503 : 200;
    const seconds = (latencyMs(random, typicalMs) / 1000).toFixed(3);
    return `10.0.0.1 - - [28/Nov/2026:21:00:00 +0000] "GET ${path} HTTP/1.1" ${status} 512 "-" "shop/2.1" ${seconds}\n`;
  }).join('');
}

/** The files of the README's commands. */
export const README_LOGS: Readonly<Record<string, () => string>> = {
  'service.hlog': () => serviceLog(1, 1),
  'load.hlog': loadLog,
  'access.log': accessLog,
  'before.hlog': () => serviceLog(1, 1),
  'after.hlog': () => serviceLog(2, 1.12),
  ...runLogs('main', 1),
  ...runLogs('branch', 1.12),
  ...buildLogs(),
  'latencies.txt': () => latencyText(3, 2),
  'yesterday.txt': () => latencyText(4, 1.8),
  'requests.csv': () => 'path,ms,bytes\n/,1.25,812\n/api,3.5,4096\n/images,30,65536\n',
  'osd.json': () => OSD_DUMP,
  'osd-later.json': () => OSD_DUMP_LATER,
};
