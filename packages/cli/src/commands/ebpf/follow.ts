import { HdrscopeError } from '@hdrscope/core';
import { FollowedMap, type TimedIncreases, watchHost, watchMap } from '@hdrscope/ebpf/internal';
import { type Io, UsageError } from '../../command.ts';
import { groundNote, isProgram, type Kernel, type MapOptions, openMap, programOf } from './map.ts';

interface WatchOptions {
  /** In seconds. */
  readonly interval: number;
  /** How many intervals the watch takes. @default it never ends */
  readonly intervals?: number;
}

/**
 * A map or a program of the command line, which need not be there yet. Standard error has a note of each change, and of what shows the
 * layout when the options have none.
 *
 * @throws UsageError when the argument names a program, and an option is only for maps.
 */
export function followMap(
  argument: string,
  options: MapOptions,
  io: Io,
  kernel: Kernel,
  onRefusal?: () => void,
): FollowedMap {
  const note = (text: string): Promise<void> => io.stderr.write(`hdrscope: ${text}\n`);
  const noteOfProgram = (text: string): Promise<void> => note(`${argument}: ${text}`);
  return new FollowedMap({
    argument,
    source: isProgram(argument) ? programOf(argument, options, kernel, noteOfProgram) : undefined,
    open: () => openMap(argument, options, kernel),
    note,
    onGround: (ground) => io.stderr.write(groundNote(argument, ground)),
    onRefusal,
  });
}

/**
 * What a map, or all maps of this machine, count from now on, interval by interval.
 *
 * @param argument The map; `undefined` for all.
 * @param onRefusal Hears of each read whose counts could not be shown, other than those of a map that is away.
 * @throws UsageError, HdrscopeError. An AbortError when the command ends.
 */
export function watchIncreases(
  argument: string | undefined,
  options: MapOptions & WatchOptions,
  io: Io,
  kernel: Kernel,
  onRefusal: () => void = () => {},
): AsyncGenerator<TimedIncreases, void> {
  const { interval, intervals } = options;
  const { signal, monotonicMs } = io;
  const watch = { intervalMs: interval * 1000, intervals, signal, monotonicMs };
  if (argument === undefined) {
    const access = { list: kernel.list, ids: kernel.mapIds, open: kernel.open };
    return watchHost(access, watch, (text) => {
      onRefusal();
      return io.stderr.write(`hdrscope: ${text}\n`);
    });
  }
  // A map that comes back may be none of a configuration, until the next one comes.
  const mayPass = (error: unknown): boolean => error instanceof HdrscopeError || error instanceof UsageError;
  const { newestMapId } = kernel;
  return watchMap(followMap(argument, options, io, kernel, onRefusal), { ...watch, newestMapId, mayPass });
}
