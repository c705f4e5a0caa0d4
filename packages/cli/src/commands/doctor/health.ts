import type { Finding } from '@hdrscope/ebpf';
import { requestAnswer } from '@hdrscope/prometheus/internal';
import { type Cures, failed, well } from './finding.ts';

const TIMEOUT_MS = 4000;
const MOST_BYTES = 2 ** 16;

/** Asks an agent at the address of its sink `health`, or the `/healthz` of any server of hdrscope. */
export async function examineHealth(url: URL, signal: AbortSignal): Promise<Finding> {
  const what = 'is healthy';
  try {
    await requestAnswer({
      ...{ url, headers: {}, tls: {}, timeoutMs: TIMEOUT_MS, maxBytes: MOST_BYTES, signal },
      failure: `${url.host} is not healthy`,
    });
    return well(what, `by its own account, at ${url.pathname}`);
  } catch (error) {
    signal.throwIfAborted();
    return failed(what, error, CURES);
  }
}

const CURES: Cures = [
  [/ECONNREFUSED|refused/, 'start the agent, or add a sink of type health to its configuration'],
  [/status 503/, 'the log of the agent says why the sources and sinks that it names do not work'],
];
