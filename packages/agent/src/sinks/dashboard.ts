import { serveDashboard } from '@hdrscope/dashboard';
import type { DashboardSinkConfig } from '../config/types.ts';
import type { Start } from '../entry.ts';
import { cephViews } from './ceph-views.ts';

/** Serves the live page. */
export const startDashboard: Start<DashboardSinkConfig> = async (config, { registry, perfHistograms }) => {
  const { listen, token, title } = config;
  const page = await serveDashboard(registry, {
    ...listen,
    title,
    // The page asks for views after a gather, which has read the daemons.
    views: async () => cephViews(perfHistograms),
    ...(token !== undefined && { token }),
  });
  return { note: page.url, stop: () => page.close() };
};
