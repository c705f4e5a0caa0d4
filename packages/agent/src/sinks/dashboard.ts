import { serveDashboard } from '@hdrscope/dashboard';
import type { DashboardSinkConfig } from '../config/types.ts';
import type { Start } from '../entry.ts';
import { guardOf } from '../guard.ts';
import { cephTabs, type OverTimeOfCounters } from './ceph-tabs.ts';

/** Serves the live page. */
export const startDashboard: Start<DashboardSinkConfig> = async (config, context) => {
  const { listen, title } = config;
  const { registry, perfHistograms } = context;
  const overTime: OverTimeOfCounters = new Map();
  const page = await serveDashboard(registry, {
    ...listen,
    title,
    // The page asks for tabs after a gather, which has read the daemons.
    tabs: async () => cephTabs(perfHistograms, overTime, context.nowMs()),
    ...guardOf(config, context),
  });
  return { note: page.url, stop: () => page.close() };
};
