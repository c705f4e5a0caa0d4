import * as z from '#zod';
import type { EntrySchema, Place, SinkPart, SourcePart } from '../part.ts';
import { SINKS } from '../sinks/index.ts';
import { SOURCES } from '../sources/index.ts';
import type { CheckedConfig, ConfigEntry } from './agent-config.ts';
import { duration, listed, mapping } from './values.ts';

/** The schema of one kind of entries. An entry without a name gets the name of its type. */
function entries(
  kind: 'source' | 'sink',
  parts: ReadonlyMap<string, { readonly schema: EntrySchema }>,
): z.ZodType<readonly ConfigEntry[], unknown> {
  const schemas = [...parts.values()].map(
    ({ schema }) => schema as EntrySchema & z.core.$ZodTypeDiscriminable,
  );
  const [first, ...others] = schemas;
  const entry = z.discriminatedUnion('type', [first!, ...others], {
    error: `must be a known type of ${kind}: ${listed([...parts.keys()])}`,
  });
  return z
    .array(entry, { error: `must be a list of ${kind}s` })
    .transform((list) => list.map((one): ConfigEntry => ({ ...one, name: one.name ?? one.type })))
    .check(({ value, issues }) => {
      for (const [at, other] of findRepeated(value.map(({ name }) => name))) {
        const message = `must be the only one of that name, and ${kind}s[${other}] has it`;
        issues.push({ code: 'custom', message, path: [at, 'name'], input: value[at]!.name });
      }
    });
}

/** The positions of texts that an earlier position has, and this position. */
function* findRepeated(texts: Iterable<string | undefined>): Iterable<[at: number, other: number]> {
  const first = new Map<string, number>();
  let at = 0;
  for (const text of texts) {
    const other = text === undefined ? undefined : first.get(text);
    if (other !== undefined) yield [at, other];
    else if (text !== undefined) first.set(text, at);
    at++;
  }
}

function originOf(source: ConfigEntry): Place | undefined {
  return (SOURCES.get(source.type) as SourcePart).origin(source);
}

function targetOf(sink: ConfigEntry): Place | undefined {
  return (SINKS.get(sink.type) as SinkPart).target?.(sink);
}

function placeText(place: Place | undefined): string | undefined {
  return place && `${place.what} ${place.id}`;
}

const config = mapping({
  shutdownTimeout: duration.prefault('10s').describe('How long a stop may take.'),
  sources: entries('source', SOURCES)
    .check(({ value, issues }) => {
      const origins = value.map(originOf);
      for (const [at, other] of findRepeated(origins.map(placeText))) {
        const { key, what } = origins[at]!;
        const message =
          key === 'type'
            ? `must be the only source of that type: there is one ${what}`
            : `must be of no other source, and is that of sources[${other}]: all would be counted twice`;
        issues.push({ code: 'custom', message, path: [at, key], input: value[at] });
      }
    })
    .describe('Where histograms come from.'),
  sinks: entries('sink', SINKS)
    .check(({ value, issues }) => {
      if (value.length === 0) {
        issues.push({ code: 'custom', message: 'must be a list of at least one sink', input: value });
      }
      const targets = value.map(targetOf);
      for (const [at, other] of findRepeated(targets.map(placeText))) {
        const { key, what } = targets[at]!;
        const message = `must differ from the ${what} of sinks[${other}]: two sinks in one ${what} count every value twice`;
        issues.push({ code: 'custom', message, path: [at, key], input: value[at] });
      }
    })
    .describe('Where histograms go: at least one sink.'),
}).check(({ value: { sources, sinks }, issues }) => {
  // Parts find the places of right entries only.
  if (issues.length > 0) return;
  const origins = new Set(sources.map((source) => placeText(originOf(source))));
  for (const [at, sink] of sinks.entries()) {
    const target = targetOf(sink);
    if (target === undefined || !origins.has(placeText(target))) continue;
    const message = `must not be a ${target.what} that is a source: what is written would be counted again`;
    issues.push({ code: 'custom', message, path: ['sinks', at, target.key], input: sink });
  }
});

/** The schema of a configuration: its input is the file, its output what the agent takes. */
export const CONFIG_SCHEMA: z.ZodType<CheckedConfig, unknown> = config;
