import type { SinkConfig } from '../config/types.ts';
import type { EntryContext, Running } from '../entry.ts';

/** Starts a sink of any type. Loads the module of that type only, as OpenTelemetry's modules are large. */
export async function startSink(config: SinkConfig, context: EntryContext): Promise<Running> {
  switch (config.type) {
    case 'prometheus':
      return (await import('./prometheus.ts')).startPrometheus(config, context);
    case 'otlp':
      return (await import('./otlp.ts')).startOtlpSink(config, context);
    case 'remote-write':
      return (await import('./remote-write.ts')).startRemoteWriteSink(config, context);
    case 'admin-socket':
      return (await import('./admin-socket.ts')).startAdminSocket(config, context);
    case 'interval-log':
      return (await import('./interval-log.ts')).startIntervalLogSink(config, context);
    case 'history':
      return (await import('./history.ts')).startHistory(config, context);
    case 'dashboard':
      return (await import('./dashboard.ts')).startDashboard(config, context);
    case 'health':
      return (await import('./health.ts')).startHealth(config, context);
  }
}
