import { isLoopback } from '@hdrscope/kit/server';
import { text } from '../config/values.ts';
import { defineSink, entry, type SinkPart } from '../part.ts';
import { guardOptions, serverKeys } from '../server.ts';
import { CEPH_DAEMONS } from '../sources/ceph.ts';
import type { OverTimeOfCounters } from './ceph-tabs.ts';

const schema = entry('dashboard', 'The live page. It needs a token when other machines can open it.', {
  ...serverKeys('127.0.0.1:9465'),
  title: text('a title').default('hdrscope').describe('The title of the page.'),
}).check(({ value: { listen, token }, issues }) => {
  if (token === undefined && !isLoopback(listen.host)) {
    const message =
      'must be an address of this machine alone, unless there is a token: everybody who reaches the port sees all counts';
    issues.push({ code: 'custom', message, path: ['listen'], input: `${listen.host}:${listen.port}` });
  }
});

/** Serves the live page. */
export const dashboard: SinkPart = defineSink({
  schema,
  example: `
# A page that shows it live.
- type: dashboard
  listen: 127.0.0.1:9465
`,
  async start(config, context) {
    const { listen, title } = config;
    const { registry, memory } = context;
    const { serveDashboard } = await import('@hdrscope/dashboard');
    const { cephTabs } = await import('./ceph-tabs.ts');
    const overTime: OverTimeOfCounters = new Map();
    const page = await serveDashboard(registry, {
      ...listen,
      title,
      // The page asks for tabs after a gather, which has read the daemons.
      tabs: async () => cephTabs(memory.of(CEPH_DAEMONS), overTime, context.nowMs()),
      ...guardOptions(config, context),
    });
    return { note: page.url, stop: () => page.close() };
  },
});
