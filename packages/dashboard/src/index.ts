export type { DashboardData } from './feed.ts';
export { type DashboardHandler, dashboardHandler } from './handler.ts';
export type { DashboardTab, ServeDashboardOptions } from './options.ts';
export { type RunningDashboard, serveDashboard } from './serve.ts';
