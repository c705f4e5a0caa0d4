import { setTimeout as sleep } from 'node:timers/promises';
import { HdrscopeError } from '@hdrscope/core';
import { reasonOf } from '@hdrscope/kit';
import { kernelError } from './errors.ts';
import type { TimedIncreases, WatchOptions } from './follow-map.ts';
import { type HostMap, HostMaps, type HostMapsAccess } from './host-maps.ts';
import { type KernelIncrease, KernelIncreases } from './increases.ts';

interface FollowedHostMap extends HostMap {
  /** Attributes that keep it apart from a map of the same name. */
  readonly attributes: Readonly<Record<string, number>>;
  readonly frames: KernelIncreases;
  /** Whether it was read: what it had counted before is not of an interval. */
  isRead?: boolean;
  /** Why it could not be read; `undefined` when it could. */
  problem?: string | undefined;
}

/**
 * What all maps of this machine with a known layout count from now on, interval by interval. A map that comes shows what it counts after
 * its first interval.
 *
 * @param note Gets a sentence about each map that cannot be read.
 * @throws HdrscopeError `ERR_KERNEL` when no map shows its layout. An AbortError when the signal aborts.
 */
export async function* watchHost(
  access: HostMapsAccess,
  { intervalMs, intervals = Number.POSITIVE_INFINITY, signal, monotonicMs }: WatchOptions,
  note: (text: string) => Promise<void>,
): AsyncGenerator<TimedIncreases, void> {
  const host = new HostMaps(access);
  const followed = new Map<number, FollowedHostMap>();
  const look = async (): Promise<void> => {
    const { came, gone } = await host.look({ signal });
    for (const { id, source } of gone) {
      followed.delete(id);
      await source.close();
    }
    for (const map of came) {
      const isTwin = [...followed.values()].some(({ name }) => name === map.name);
      const attributes = isTwin ? { map: map.id } : {};
      followed.set(map.id, { ...map, attributes, frames: new KernelIncreases() });
    }
  };
  const readAll = async (): Promise<KernelIncrease[]> => {
    const all: KernelIncrease[] = [];
    for (const map of followed.values()) {
      try {
        const beganMs = monotonicMs();
        const frame = await map.source.read();
        const increases = map.frames.next(frame, { beganMs, endedMs: monotonicMs() });
        map.problem = undefined;
        for (const one of map.isRead ? increases : []) {
          all.push({ ...one, attributes: { ...one.attributes, ...map.attributes } });
        }
        map.isRead = true;
      } catch (error) {
        if (!(error instanceof HdrscopeError)) throw error;
        const reason = reasonOf(error);
        if (map.problem !== reason) await note(`${map.name}: ${reason}`);
        map.problem = reason;
      }
    }
    return all;
  };
  try {
    await look();
    if (followed.size === 0) {
      throw kernelError(
        'no map of this machine shows its layout: hdrscope ebpf list shows those that look like histograms',
      );
    }
    await readAll();
    let startMs = monotonicMs();
    for (let left = intervals; left > 0; left--) {
      await sleep(intervalMs, undefined, { signal });
      await look();
      const increases = await readAll();
      const endMs = monotonicMs();
      yield { increases, startMs, endMs };
      startMs = endMs;
    }
  } finally {
    for (const { source } of followed.values()) await source.close();
  }
}
