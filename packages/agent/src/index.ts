export { type Agent, type AgentOptions, startAgent } from './agent.ts';
export type { AgentConfig } from './config/agent-config.ts';
export type { ConfigIssue } from './config/document.ts';
export { configJsonSchema } from './config/json-schema.ts';
export { type ParsedConfig, parseConfig, readConfigFile } from './config/read.ts';
export type { AgentHealth } from './health.ts';
