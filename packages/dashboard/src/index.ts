export type { Shown } from './feed.ts';
export { type DashboardHandler, type DashboardHandlerOptions, dashboardHandler } from './handler.ts';
export type { DashboardOptions, ServeDashboardOptions, View } from './options.ts';
export { type RunningDashboard, serveDashboard } from './serve.ts';
