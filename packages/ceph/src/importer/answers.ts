import { HdrscopeError } from '@hdrscope/core';
import { isObject } from '@hdrscope/kit';
import type { Json, JsonObject } from './json.ts';

/** The commands of a daemon whose answers are easily taken for each other. */
type Answered =
  | 'perf histogram dump'
  | 'perf histogram schema'
  | 'perf dump'
  | 'perf schema'
  | 'counter dump';

const CURES: Readonly<Record<Answered, string>> = {
  'perf histogram dump': 'which hdrscope ceph dump reads',
  'perf histogram schema': 'which hdrscope ceph schema reads',
  'perf dump': 'which has no histograms',
  'perf schema': 'which describes no histograms',
  'counter dump': 'which has no histograms up to Tentacle',
};

/**
 * Reads an answer. Where it is malformed because it is the answer to another command, the error says so.
 *
 * @param wanted The command whose answer is read.
 * @throws HdrscopeError as `read` does.
 */
export function readAnswer<Result>(wanted: Answered, loggers: JsonObject, read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof HdrscopeError && error.code === 'ERR_DECODE')) throw error;
    const found = Object.values(loggers).map(answeredBy);
    const other = found.find((command) => command !== undefined);
    if (other === undefined || found.includes(wanted)) throw error;
    const cure = `this is the answer to '${other}', ${CURES[other]}; '${wanted}' is the command to ask the daemon`;
    throw new HdrscopeError('ERR_DECODE', `${error.message}: ${cure}`, { cause: error });
  }
}

/** The command that answers with such counters of a logger; `undefined` when it is unknown. */
function answeredBy(counters: Json): Answered | undefined {
  if (Array.isArray(counters)) {
    return counters.some((one) => isObject(one) && 'labels' in one) ? 'counter dump' : undefined;
  }
  if (!isObject(counters)) return undefined;
  const all = Object.values(counters as JsonObject);
  if (all.some((one) => isObject(one) && 'axes' in one)) return 'perf histogram dump';
  const types = all.flatMap((one) => (isObject(one) && 'type' in one ? [one.type] : []));
  if (types.length > 0) {
    const areHistograms = types.some((type) => typeof type !== 'number' || (type & HISTOGRAM) !== 0);
    return areHistograms ? 'perf histogram schema' : 'perf schema';
  }
  const isNumber = (one: Json): boolean => typeof one === 'number' || (isObject(one) && 'avgcount' in one);
  return all.length > 0 && all.every(isNumber) ? 'perf dump' : undefined;
}

const HISTOGRAM = 0x10;
