export { type DashboardHandler, type DashboardHandlerOptions, dashboardHandler } from './handler.ts';
export {
  createLogPlots,
  type LoggedInterval,
  type LogPlots,
  type LogPlotsOptions,
  plotsOfLog,
} from './log-plots.ts';
export type { DashboardOptions, ServeDashboardOptions, View } from './options.ts';
export { type RunningDashboard, serveDashboard } from './serve.ts';
