import type { AskDaemon } from './ask-histograms.ts';

/** Pools are few. A list of more is no answer to the question, or would make too many series. A chosen limit. */
const MOST_POOLS = 1000;
const OSD = /^osd\./;

/**
 * Asks an OSD for the pools whose placement groups it has. Their operations are in its histograms, which name no pool.
 *
 * Source: the command `get_mapped_pools` of `OSD::asok_command` in https://github.com/ceph/ceph/blob/main/src/osd/OSD.cc, which prints a list
 * of numbers.
 *
 * @returns `undefined` when the daemon is no OSD, or does not say.
 */
export async function askMappedPools(name: string, ask: AskDaemon): Promise<readonly number[] | undefined> {
  if (!OSD.test(name)) return undefined;
  try {
    const pools: unknown = JSON.parse(await ask('get_mapped_pools', {}));
    const isList = Array.isArray(pools) && pools.length <= MOST_POOLS && pools.every(Number.isSafeInteger);
    return isList ? pools : undefined;
  } catch {
    // Its histograms count without them.
    return undefined;
  }
}
