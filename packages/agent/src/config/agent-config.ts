import { HdrscopeError } from '@hdrscope/core';

/** A source or a sink of a configuration. */
export interface ConfigEntry {
  /** The kind of source or sink, such as `'prometheus'`. */
  readonly type: string;
  /** Unique among the sources, or among the sinks. */
  readonly name: string;
}

declare const PARSED: unique symbol;

/**
 * A checked configuration. `parseConfig` and `readConfigFile` make one. The keys of its entries are described by
 * `configJsonSchema`, and are not part of this type: later versions may have more of them.
 */
export interface AgentConfig {
  /** Marks a configuration that was parsed: a literal is not one. */
  readonly [PARSED]: true;
  /** Where histograms come from. */
  readonly sources: readonly ConfigEntry[];
  /** Where histograms go: at least one. */
  readonly sinks: readonly ConfigEntry[];
}

/** A checked configuration with all defaults, as plain data. */
export interface CheckedConfig {
  /** Milliseconds that a stop may take. */
  readonly shutdownTimeout: number;
  /** Names are unique. Each entry has the keys of its type. */
  readonly sources: readonly ConfigEntry[];
  /** At least one. Names are unique. */
  readonly sinks: readonly ConfigEntry[];
}

/** The values of variables that a configuration has, by the variable. */
const VARIABLES = new WeakMap<CheckedConfig, ReadonlyMap<string, string>>();

/**
 * The configuration as callers of the package see it.
 *
 * @param variables The values of variables in it, by the variable: messages show the names instead.
 */
export function sealConfig(config: CheckedConfig, variables: ReadonlyMap<string, string>): AgentConfig {
  VARIABLES.set(config, variables);
  return config as unknown as AgentConfig;
}

/** The configuration with the keys of its entries. @throws HdrscopeError `ERR_INVALID_OPTION` when `parseConfig` has not made it. */
export function openConfig(config: AgentConfig): CheckedConfig {
  const checked = config as unknown as CheckedConfig;
  // Without its variables, messages could show their values.
  if (VARIABLES.has(checked)) return checked;
  // Without an echo of the value, which may hold secrets.
  throw new HdrscopeError('ERR_INVALID_OPTION', 'config must be a result of parseConfig or readConfigFile');
}

/** The values of variables in a configuration, by the variable. */
export function readVariables(config: CheckedConfig): ReadonlyMap<string, string> {
  return VARIABLES.get(config)!;
}
