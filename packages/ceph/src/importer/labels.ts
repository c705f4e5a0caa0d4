import { asText } from '@hdrscope/kit';
import { asArray, asObject } from './fields.ts';
import type { Json, JsonObject } from './json.ts';
import { shownName } from './place.ts';

/** Labels of a logger's counters. */
export type CounterLabels = Readonly<Record<string, string>>;

/** The counters of a logger for one set of labels. */
export interface LabelledJson {
  readonly labels: CounterLabels;
  readonly counters: JsonObject;
  readonly path: string;
}

/**
 * The counters of a logger: one object in the answers to `perf` commands, and in those to `counter` commands an array with an entry
 * for each set of labels.
 *
 * @throws HdrscopeError `ERR_DECODE`
 */
export function labelledCounters(json: Json, path: string): LabelledJson[] {
  if (!Array.isArray(json) || json.length === 0)
    return [{ labels: {}, counters: asObject(json, path), path }];
  return asArray(json, path).map((entry, i) => {
    const place = `${path}[${i}]`;
    const { labels, counters } = asObject(entry, place);
    const texts = Object.entries(asObject(labels, `${place}.labels`)).map(
      ([name, value]) => [name, asText(value, `${place}.labels.${shownName(name)}`)] as const,
    );
    return {
      labels: Object.fromEntries(texts),
      counters: asObject(counters, `${place}.counters`),
      path: `${place}.counters`,
    };
  });
}
