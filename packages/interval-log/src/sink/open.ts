import { basename, dirname, join } from 'node:path';
import { isMissing } from '@hdrscope/kit/files';
import { type Registry, systemClock } from '@hdrscope/registry';
import { assertRegistry } from '@hdrscope/registry/internal';
import { writeError } from '../errors.ts';
import { type Files, lockPath, realFiles } from './files.ts';
import { type IntervalLogOptions, readSettings } from './options.ts';
import { IntervalLogSink, type SinkRuntime } from './sink.ts';
import { realDelay } from './ticker.ts';

const NODE: SinkRuntime = {
  clock: systemClock,
  delay: realDelay,
  files: realFiles,
  signals: process,
  lock: lockPath,
};

/**
 * Writes a registry to an interval log: at every interval one line for each series that has counted something. Values
 * are in ticks of the family's resolution, nanoseconds for most families, and the tag names the family and its attributes.
 *
 * While the process lives, no count is lost and no count is written twice: an interval that cannot be written becomes
 * part of the next one that can. A killed process leaves a log that is whole up to its last line. The sink does not keep
 * the process alive, so call `close` before the process ends.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option does not exist or is outside the range stated on it;
 *   `ERR_LOG_WRITE` when the file cannot be written, is not an interval log, or
 *   is open in another sink.
 * @example
 * ```ts
 * import { mkdtemp } from 'node:fs/promises';
 * import { tmpdir } from 'node:os';
 * import { join } from 'node:path';
 * import { openIntervalLog, readIntervals } from '@hdrscope/interval-log';
 * import { createRegistry } from '@hdrscope/registry';
 *
 * const registry = createRegistry();
 * const requests = registry.histogram({ name: 'http.duration', unit: 's' });
 * const path = join(await mkdtemp(join(tmpdir(), 'hdrscope-')), 'app.hlog');
 * const sink = await openIntervalLog(registry, { path, rotation: { everyMs: 86_400_000, keep: 14, gzip: true } });
 * requests.with({ method: 'GET' }).record(0.25);
 * await sink.close();
 *
 * for await (const interval of readIntervals(path)) {
 *   [interval.tag, interval.writtenMax]; //=> ['http.duration?method=GET', 250.61]
 * }
 * ```
 */
export function openIntervalLog(registry: Registry, options: IntervalLogOptions): Promise<IntervalLogSink> {
  return openSink(registry, options, NODE);
}

/** `openIntervalLog` with a given runtime. */
export async function openSink(
  registry: Registry,
  options: IntervalLogOptions,
  runtime: SinkRuntime,
): Promise<IntervalLogSink> {
  assertRegistry(registry);
  const settings = readSettings(options);
  const path = await resolved(runtime.files, settings.path);
  const unlock = await runtime.lock(path);
  const sink = new IntervalLogSink(registry, { ...settings, path }, runtime, unlock);
  try {
    await sink.start();
    return sink;
  } catch (error) {
    await unlock();
    throw error;
  }
}

/** Resolves symbolic links, so that a file has one name. The file itself need not exist. */
async function resolved(files: Files, path: string): Promise<string> {
  try {
    return await files.realpath(path).catch(async (error: unknown) => {
      if (!isMissing(error)) throw error;
      return join(await files.realpath(dirname(path)), basename(path));
    });
  } catch (error) {
    throw writeError('open', path, error);
  }
}
