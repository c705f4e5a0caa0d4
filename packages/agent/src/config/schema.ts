import { resolve } from 'node:path';
import { z } from 'zod';
import { historyPlace } from './history-place.ts';
import { sink } from './sinks-schema.ts';
import { source, type Unnamed } from './sources-schema.ts';
import type { CheckedConfig, SourceConfig } from './types.ts';
import { duration, mapping } from './values.ts';

interface Nameable {
  readonly type: string;
  readonly name?: string | undefined;
}

/** The entries of one kind. An entry without a name gets the name of its type. */
function entries<Entry extends Nameable>(
  entry: z.ZodType<Entry, unknown>,
  kind: string,
): z.ZodType<readonly (Entry & { readonly name: string })[], unknown> {
  return z
    .array(entry, { error: `must be a list of ${kind}` })
    .transform((list) => list.map((one) => ({ ...one, name: one.name ?? one.type })))
    .check(({ value, issues }) => {
      const first = new Map<string, number>();
      for (const [at, { name }] of value.entries()) {
        const other = first.get(name);
        if (other === undefined) first.set(name, at);
        else {
          const message = `must be the only one of that name, and ${kind}[${other}] has it`;
          issues.push({ code: 'custom', message, path: [at, 'name'], input: name });
        }
      }
    });
}

const config = mapping({
  shutdownTimeout: duration.prefault('10s'),
  sources: entries(source, 'sources').check(({ value, issues }) => {
    const readers = [...value.entries()].filter(([, { type }]) => type === 'stdin');
    for (const [at] of readers.slice(1)) {
      const message = 'must be the only source of that type: there is one standard input';
      issues.push({ code: 'custom', message, path: [at, 'type'], input: 'stdin' });
    }
    const seen = new Map<string, number>();
    for (const [at, one] of value.entries()) {
      const origin = originOf(one);
      if (origin === undefined) continue;
      const key = `${one.type} ${origin[1]}`;
      const other = seen.get(key);
      if (other === undefined) seen.set(key, at);
      else {
        const message = `must be of no other source, and is that of sources[${other}]: all would be counted twice`;
        issues.push({ code: 'custom', message, path: [at, origin[0]], input: origin[1] });
      }
    }
  }),
  sinks: entries(sink, 'sinks').check(({ value, issues }) => {
    if (value.length === 0) {
      issues.push({ code: 'custom', message: 'must be a list of at least one sink', input: value });
    }
    const places = new Map<string, number>();
    for (const [at, one] of value.entries()) {
      if (one.type !== 'history') continue;
      const { key, what, text } = historyPlace(one);
      const other = places.get(text);
      if (other === undefined) places.set(text, at);
      else {
        const message = `must differ from the ${what} of sinks[${other}]: two sinks in one ${what} count every value twice`;
        issues.push({ code: 'custom', message, path: [at, key], input: one[key] });
      }
    }
  }),
}).check(({ value: { sources, sinks }, issues }) => {
  for (const [at, sink] of sinks.entries()) {
    const isFollowed = sources.some(
      (source) =>
        source.type === 'interval-log' &&
        sink.type === 'interval-log' &&
        resolve(source.path) === resolve(sink.path),
    );
    if (!isFollowed) continue;
    const message = 'must not be a log that is a source: what is written would be counted again';
    issues.push({ code: 'custom', message, path: ['sinks', at, 'path'], input: sink });
  }
});

/** The input of a source. Two sources of the same input would count it twice. */
function originOf(source: Unnamed<SourceConfig>): readonly [key: string, value: string] | undefined {
  switch (source.type) {
    case 'interval-log':
      return ['path', resolve(source.path)];
    case 'ceph':
      return ['socket', resolve(source.socket)];
    case 'ebpf-map':
      return ['map', source.map];
    case 'ebpf-exporter': {
      const pins = source.pins === undefined ? '' : ` in ${resolve(source.pins)}`;
      return ['config', `${resolve(source.config)}${pins}`];
    }
    case 'ebpf-program':
      return ['program', source.program];
    default:
      return undefined;
  }
}

/** The schema of a configuration: its input is the file, its output what the agent takes. */
export const CONFIG_SCHEMA: z.ZodType<CheckedConfig, unknown> = config as z.ZodType<CheckedConfig, unknown>;

/** The schema of the file for editors: https://json-schema.org/draft/2020-12. */
export function configJsonSchema(): Record<string, unknown> {
  return { ...z.toJSONSchema(config, { io: 'input', unrepresentable: 'any' }), title: 'hdrscope run' };
}
