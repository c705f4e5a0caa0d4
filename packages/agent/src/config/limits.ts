import type { YamlLimits } from '@hdrscope/kit';

/** The limits of the text of a configuration. A thousand entries need less than half of each. */
export const CONFIG_LIMITS: YamlLimits = {
  bytes: 2 ** 20,
  lines: 20_000,
  elements: 50_000,
  depth: 32,
  aliases: 5000,
};
