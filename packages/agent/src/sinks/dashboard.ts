import { serveDashboard } from '@hdrscope/dashboard';
import type { DashboardSinkConfig } from '../config/types.ts';
import type { Start } from '../entry.ts';

/** The live page. */
export const startDashboard: Start<DashboardSinkConfig> = async ({ listen, token, title }, { registry }) => {
  const page = await serveDashboard(registry, { ...listen, title, ...(token !== undefined && { token }) });
  return { note: page.url, stop: () => page.close() };
};
