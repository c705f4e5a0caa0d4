import { isLoopback } from '@hdrscope/kit/server';
import { duration, mapping, size, text } from '../config/values.ts';
import { defineSink, entry, type SinkPart } from '../part.ts';
import { guardOptions, serverKeys } from '../server.ts';
import { CEPH_DAEMONS } from '../sources/ceph.ts';
import type { OverTimeOfCounters } from './ceph-tabs.ts';

const schema = entry('dashboard', 'The live page. It needs a token when other machines can open it.', {
  ...serverKeys('127.0.0.1:9465'),
  title: text('a title').default('hdrscope').describe('The title of the page.'),
  history: mapping({
    folder: text('the path of a folder').describe(
      'The folder, of this page alone. It is made if it does not exist, and takes at most three times size.',
    ),
    keep: duration.prefault('6h').describe('How long the page remembers: from 10s to 30d.'),
    size: size
      .prefault('64MiB')
      .describe('The memory for it, from 1MiB to 4GiB. When it is full, times far back become coarser.'),
  })
    .exactOptional()
    .describe('What the page remembers over restarts. Default: 6 hours in memory, which a restart forgets.'),
}).check(({ value: { listen, token, history }, issues }) => {
  if (token === undefined && !isLoopback(listen.host)) {
    const message =
      'must be an address of this machine alone, unless there is a token: everybody who reaches the port sees all counts';
    issues.push({ code: 'custom', message, path: ['listen'], input: `${listen.host}:${listen.port}` });
  }
  if (history === undefined) return;
  const { keep, size } = history;
  if (keep < 10_000 || keep > 2_592_000_000) {
    issues.push({
      code: 'custom',
      message: 'must be from 10s to 30d',
      path: ['history', 'keep'],
      input: keep,
    });
  }
  if (size < 2 ** 20 || size > 2 ** 32) {
    issues.push({
      code: 'custom',
      message: 'must be from 1MiB to 4GiB',
      path: ['history', 'size'],
      input: size,
    });
  }
});

/** Serves the live page. */
export const dashboard: SinkPart = defineSink({
  schema,
  example: `
# A page that shows it live.
- type: dashboard
  listen: 127.0.0.1:9465
  history: { folder: /var/lib/hdrscope/page }
`,
  async start(config, context) {
    const { listen, title, history } = config;
    const { registry, memory } = context;
    const { serveDashboard } = await import('@hdrscope/dashboard');
    const { cephTabs } = await import('./ceph-tabs.ts');
    const overTime: OverTimeOfCounters = new Map();
    const page = await serveDashboard(registry, {
      ...listen,
      title,
      ...(history && {
        historyFolder: history.folder,
        historyMs: history.keep,
        historyBytes: history.size,
        onHistoryError: (error: Error) => context.failed(error),
        onHistoryRecovery: () => context.succeeded(),
      }),
      // The page asks for tabs after a gather, which has read the daemons.
      tabs: async () => cephTabs(memory.of(CEPH_DAEMONS), overTime, context.nowMs()),
      ...guardOptions(config, context),
    });
    return { note: page.url, stop: () => page.close() };
  },
});
