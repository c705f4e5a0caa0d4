export type { GuardOptions, ServerLimits, ServerRefusals, TlsFiles } from '@hdrscope/kit/server';
export type { Shown } from './feed.ts';
export { type DashboardHandler, type DashboardHandlerOptions, dashboardHandler } from './handler.ts';
export type { DashboardOptions, DashboardTab, ServeDashboardOptions } from './options.ts';
export { type RunningDashboard, serveDashboard } from './serve.ts';
