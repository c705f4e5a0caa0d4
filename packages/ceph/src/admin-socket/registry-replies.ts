import { assertOptions, type OptionsOwner } from '@hdrscope/core/internal';
import type { Registry } from '@hdrscope/registry';
import { type SnapshotLoggersOptions, snapshotLoggers } from '../dump/snapshot.ts';
import { histogramReplies } from './histogram-replies.ts';
import type { PerfReplies } from './perf-commands.ts';
import { type SnapshotNumbersOptions, snapshotLabelledNumbers, snapshotNumbers } from './snapshot-numbers.ts';

/** The options for showing a registry as histograms and as numbers. */
export interface RegistryRepliesOptions extends SnapshotLoggersOptions, SnapshotNumbersOptions {}

/**
 * The answers to the perf commands from a registry. It is gathered for each command. Its families appear as histograms, and
 * in `perf dump` as numbers, for tools that do not read histograms.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option does not exist.
 * @example
 * ```ts
 * import { mkdtempSync, rmSync } from 'node:fs';
 * import { askAdminSocket, registryReplies, serveAdminSocket } from '@hdrscope/ceph';
 * import { createRegistry } from '@hdrscope/registry';
 *
 * const registry = createRegistry();
 * registry.histogram({ name: 'body.size', unit: 'By' }).with({}).record(512);
 *
 * const folder = mkdtempSync('/tmp/example-');
 * const server = await serveAdminSocket({ path: `${folder}/shop.asok`, ...registryReplies(registry) });
 * await askAdminSocket(server.path, 'perf dump', { counter: 'body.size', format: 'json' });
 * //=> '{"hdrscope":{"body.size":{"avgcount":1,"sum":512}}}'
 * await server.close();
 * rmSync(folder, { recursive: true });
 * ```
 */
export function registryReplies(registry: Registry, options: RegistryRepliesOptions = {}): PerfReplies {
  assertOptions(options, REGISTRY_REPLIES);
  const { percentiles, ...shown } = options;
  const { release = 'tentacle', logger } = shown;
  const numbers = { ...(percentiles && { percentiles }), ...(logger !== undefined && { logger }) };
  const loggers = async () => snapshotLoggers(await registry.gather(), shown);
  return {
    histograms: histogramReplies(loggers, { release }),
    numbers: async () => snapshotNumbers(await registry.gather(), numbers),
    labelled: async () => snapshotLabelledNumbers(await registry.gather(), numbers),
  };
}

const REGISTRY_REPLIES: OptionsOwner<RegistryRepliesOptions> = {
  name: 'registryReplies',
  names: { release: true, logger: true, axisOf: true, percentiles: true },
  call: "registryReplies(registry, { release: 'next' })",
};
