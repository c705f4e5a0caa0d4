export type { ServerRefusals } from '@hdrscope/kit/server';
export { type Agent, type AgentOptions, type Reloaded, startAgent } from './agent.ts';
export type { AgentConfig, ConfigEntry } from './config/agent-config.ts';
export type { ConfigIssue } from './config/document.ts';
export { type ParseConfigOptions, type ParsedConfig, parseConfig, readConfigFile } from './config/read.ts';
export { configJsonSchema } from './config/schema.ts';
export { CONFIG_TEMPLATE } from './config/template.ts';
export type { AgentHealth, EntryDelivery, EntryHealth, EntryStorage } from './health.ts';
export type { RetryOptions } from './supervised.ts';
