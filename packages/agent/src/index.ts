export { type Agent, type AgentOptions, type Reloaded, startAgent } from './agent.ts';
export type { ConfigIssue } from './config/document.ts';
export { type ReadConfig, type ReadConfigOptions, readConfig, readConfigFile } from './config/read.ts';
export { configJsonSchema } from './config/schema.ts';
export { CONFIG_TEMPLATE } from './config/template.ts';
export type {
  AdminSocketSinkConfig,
  AgentConfig,
  AttributeTexts,
  BpftraceMapConfig,
  BpftraceSourceConfig,
  CephSourceConfig,
  DashboardSinkConfig,
  EbpfExporterSourceConfig,
  EbpfMapSourceConfig,
  EbpfProgramSourceConfig,
  HealthSinkConfig,
  HistorySinkConfig,
  IntervalLogSinkConfig,
  IntervalLogSourceConfig,
  ListenAddress,
  MetricConfig,
  OtlpSinkConfig,
  OtlpSourceConfig,
  PipeSourceConfig,
  PrometheusSinkConfig,
  ServerConfig,
  SinkConfig,
  SourceConfig,
  StdinSourceConfig,
} from './config/types.ts';
export type { AgentHealth, EntryHealth } from './health.ts';
export type { RetryOptions } from './supervised.ts';
