export { type Agent, type AgentOptions, type Reloaded, startAgent } from './agent.ts';
export type { AgentConfig } from './config/agent-config.ts';
export type { ConfigIssue } from './config/document.ts';
export { type ParseConfigOptions, type ParsedConfig, parseConfig, readConfigFile } from './config/read.ts';
export { configJsonSchema } from './config/schema.ts';
export type { AgentHealth, EntryHealth } from './health.ts';
