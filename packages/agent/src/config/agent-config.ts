import { HdrscopeError } from '@hdrscope/core';
import { isParsed } from './secrets.ts';
import type { CheckedConfig } from './types.ts';

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

/** The configuration with the keys of its entries. @throws HdrscopeError `ERR_INVALID_OPTION` when `parseConfig` has not made it. */
export function checkedOf(config: AgentConfig): CheckedConfig {
  const checked = config as unknown as CheckedConfig;
  if (isParsed(checked)) return checked;
  // Without an echo of the value, which may hold secrets.
  throw new HdrscopeError('ERR_INVALID_OPTION', 'config must be a result of parseConfig or readConfigFile');
}

/** The configuration as callers of the package see it. */
export function opaque(config: CheckedConfig): AgentConfig {
  return config as unknown as AgentConfig;
}
