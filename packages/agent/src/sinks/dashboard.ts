import { serveDashboard } from '@hdrscope/dashboard';
import type { DashboardSinkConfig } from '../config/types.ts';
import type { Start } from '../entry.ts';
import { guardOf } from '../guard.ts';
import { cephViews, type OverTimeOfCounters } from './ceph-views.ts';

/** Serves the live page. */
export const startDashboard: Start<DashboardSinkConfig> = async (config, context) => {
  const { listen, title } = config;
  const { registry, perfHistograms } = context;
  const overTime: OverTimeOfCounters = new Map();
  const page = await serveDashboard(registry, {
    ...listen,
    title,
    // The page asks for views after a gather, which has read the daemons.
    views: async () => cephViews(perfHistograms, overTime, context.nowMs()),
    ...guardOf(config, context),
  });
  return { note: page.url, stop: () => page.close() };
};
