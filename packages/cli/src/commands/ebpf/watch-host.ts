import { setTimeout as sleep } from 'node:timers/promises';
import { HdrscopeError } from '@hdrscope/core';
import { type HostMap, HostMaps, type KernelIncrease, KernelIncreases } from '@hdrscope/ebpf/internal';
import { reasonOf } from '@hdrscope/kit';
import { type Io, Refusal } from '../../command.ts';
import type { Increases, WatchOptions } from './follow.ts';
import type { Kernel } from './map.ts';

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
 * its first interval. Standard error has a note of each map that cannot be read.
 *
 * @throws Refusal when no map shows its layout. An AbortError when the command ends.
 */
export async function* watchHost(
  { interval, intervals = Number.POSITIVE_INFINITY }: Pick<WatchOptions, 'interval' | 'intervals'>,
  io: Io,
  kernel: Kernel,
): AsyncGenerator<Increases, void> {
  const host = new HostMaps({ list: kernel.list, ids: kernel.mapIds, open: kernel.open });
  const followed = new Map<number, FollowedHostMap>();
  const note = (text: string): Promise<void> => io.stderr.write(`hdrscope: ${text}\n`);
  const look = async (): Promise<void> => {
    const { came, gone } = await host.look();
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
        const frame = await map.source.read();
        const increases = map.frames.next(frame, io.monotonicMs());
        map.problem = undefined;
        for (const one of map.isRead ? increases : []) all.push(withAttributes(one, map.attributes));
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
      throw new Refusal(
        'no map of this machine shows its layout: hdrscope ebpf list shows those that look like histograms',
      );
    }
    await readAll();
    let startMs = io.monotonicMs();
    for (let left = intervals; left > 0; left--) {
      await sleep(interval * 1000, undefined, { signal: io.signal });
      await look();
      const increases = await readAll();
      const endMs = io.monotonicMs();
      yield { increases, startMs, endMs };
      startMs = endMs;
    }
  } finally {
    for (const { source } of followed.values()) await source.close();
  }
}

function withAttributes(increase: KernelIncrease, attributes: FollowedHostMap['attributes']): KernelIncrease {
  return { ...increase, attributes: { ...increase.attributes, ...attributes } };
}
