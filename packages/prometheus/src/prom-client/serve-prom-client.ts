import { openChannel, type RemotePort, reasonOf } from '@hdrscope/kit';
import { listOf } from './from-prom-client.ts';
import { errorMessage, metricsMessage, requestIn } from './messages.ts';
import { jsonOf, type PromClientRegistry } from './metrics.ts';

/**
 * Serves registries of `prom-client` to `collectPromClient` at the other end of a port. Like any listener of messages, this keeps the
 * thread or process alive until it is stopped. Use it beside `serveRegistry`, which serves the histograms of hdrscope.
 *
 * @param registries One registry, such as `register`, or several.
 * @param port `parentPort` in a worker thread, `process` in a cluster worker or a child process.
 * @returns A function that stops serving: call it when the work is done. It sends the last values, and ends when they are sent.
 * @throws HdrscopeError `ERR_INVALID_OPTION` when a registry lacks `getMetricsAsJSON`, or nothing can be sent through the port.
 */
export function servePromClient(
  registries: PromClientRegistry | readonly PromClientRegistry[],
  port: RemotePort,
): () => Promise<void> {
  const all = listOf(registries);
  const channel = openChannel(port, {
    onMessage(message) {
      const request = requestIn(message);
      if (request !== undefined) void answer(request);
    },
    onEnd: () => channel.close(),
  });

  async function answer(request: number, isLast = false): Promise<void> {
    try {
      await channel.post(await messageFor(request, isLast));
    } catch {
      // The receiver is gone.
    }
  }

  async function messageFor(request: number, isLast: boolean): Promise<object> {
    try {
      const metrics = await Promise.all(all.map(jsonOf));
      return metricsMessage(request, isLast, metrics.flat());
    } catch (error) {
      return errorMessage(request, isLast, reasonOf(error));
    }
  }

  let stopped: Promise<void> | undefined;
  return () => {
    channel.close();
    stopped ??= answer(0, true);
    return stopped;
  };
}
