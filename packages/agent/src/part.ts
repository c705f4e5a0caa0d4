import type { ServerRefusals } from '@hdrscope/kit/server';
import type { IntakeOptions, Registry } from '@hdrscope/registry';
import * as z from '#zod';
import type { ConfigEntry } from './config/agent-config.ts';
import { mapping, text } from './config/values.ts';
import type { AgentHealth, EntryDelivery, EntryPackets, EntryStorage } from './health.ts';
import type { EntryMemory } from './memory.ts';
import type { StdinFeed } from './stdin-feed.ts';

// A part is a type of source or sink: one file in `sources` or `sinks`, and one line in the `index.ts` beside it.

/** The surroundings that the agent gives to a source or a sink. */
export interface EntryContext {
  /** The agent's registry. A sink's view of it measures the time of each gather. */
  readonly registry: Registry;
  /**
   * The options of an ingested source: it has the name of this entry, drops the attributes that the entry names,
   * reports to it, and goes on where an earlier run with the same input ended.
   *
   * @param input The name of the input, such as the path of a socket.
   */
  intake(
    input: string,
  ): Required<Pick<IntakeOptions, 'sourceName' | 'memory' | 'observer'>> &
    Pick<IntakeOptions, 'dropAttributes'>;
  /** State that earlier runs have left, and that entries share. */
  readonly memory: EntryMemory;
  readonly stdin: StdinFeed;
  /** Counts of refusals, for the server of the entry. */
  readonly refusals: ServerRefusals;
  readonly shutdownTimeoutMs: number;
  health(): AgentHealth;
  /** The kernel maps that other sources of the agent read now: the names of these sources, by the ids of the maps. */
  mapsOfOthers(): Promise<ReadonlyMap<number, string>>;
  /** A text without the secrets of the configuration, as people may see it. */
  shown(text: string): string;
  nowMs(): number;
  info(line: string): void;
  /** Reports how many values were added, including those that a series rejects. */
  added(values: number): void;
  /** Reports how many more values a source could not measure. */
  missed(values: number): void;
  /** Reports what a sink has delivered so far. */
  delivered(delivery: EntryDelivery): void;
  /** Reports what a sink has stored so far. */
  stored(storage: EntryStorage): void;
  /** Reports the packets that a source has received so far. */
  received(packets: EntryPackets): void;
  /** Reports a success. */
  succeeded(): void;
  /** Reports a failure after which the entry goes on by itself. */
  failed(error: unknown): void;
  /** Reports a failure that ends the entry: the agent stops it and starts it again later. */
  died(error: unknown): void;
}

/** Logs a note that stays true: not again when its entry starts again. */
export function noteOnce(
  note: string,
  { memory: { notes }, info }: Pick<EntryContext, 'memory' | 'info'>,
): void {
  if (notes.has(note)) return;
  notes.add(note);
  info(note);
}

/** A running source or sink. */
export interface Running {
  /** Logged at the start: `http://localhost:9464/metrics`. */
  readonly note?: string;
  /** Ends the entry. A sink sends what it still holds, and rejects when that fails. */
  stop(): Promise<void>;
}

/** A running source. */
export interface RunningSource extends Running {
  /**
   * Ids of the kernel maps that it reads now. The source of all maps leaves them out, so that their values count once. A source that
   * reads no kernel maps has `noKernelMaps`.
   */
  kernelMaps(): Promise<readonly number[]>;
}

/** The maps of a source that reads no kernel maps. */
export const noKernelMaps: RunningSource['kernelMaps'] = async () => [];

/** Where a source reads or a sink writes. What reads or writes at one place twice counts its values twice. */
export interface Place {
  /** The key that names it, to which an error points; `type` for what a process has only one of. */
  readonly key: string;
  /** The noun for it, such as `log`. Places of different nouns differ. */
  readonly what: string;
  /** Equal for equal places, without secrets: an absolute path. */
  readonly id: string;
}

/** The schema of an entry, as `entry` makes it: transformed or not. */
export type EntrySchema = z.ZodType<{ readonly type: string; readonly name?: string | undefined }, unknown>;

/** A checked entry of a schema. Its name is there: without one, it has the name of its type. */
export type ConfigOf<Schema extends EntrySchema> = z.output<Schema> & { readonly name: string };

interface Part<Config, Started extends Running> {
  /** The keys of the entry, with their defaults and descriptions. Messages hide `token`, `password`, `headers` and users in `url`. */
  readonly schema: EntrySchema;
  /** The entry as YAML with a comment above it, for the configuration that `hdrscope config init` writes. */
  readonly example: string;
  /** Starts an entry. When it rejects, it has released everything that it opened. */
  start(config: Config, context: EntryContext): Promise<Started>;
}

/** A type of source. */
export interface SourcePart<Config = ConfigEntry> extends Part<Config, RunningSource> {
  /** Its input; `undefined` when two sources cannot count the same values, even when all their keys are equal. */
  origin(config: Config): Place | undefined;
}

/**
 * A type of sink. All sinks are imported when the agent is, so `start` imports packages that only this sink needs: those of
 * OpenTelemetry are large.
 */
export interface SinkPart<Config = ConfigEntry> extends Part<Config, Running> {
  /** Its output, when another sink or a source must not have the same. */
  target?(config: Config): Place;
}

/** Makes a source of its parts, whose types come from the schema. */
export function defineSource<Schema extends EntrySchema>(
  part: SourcePart<ConfigOf<Schema>> & { readonly schema: Schema },
): SourcePart {
  return part;
}

/** Makes a sink of its parts, whose types come from the schema. */
export function defineSink<Schema extends EntrySchema>(
  part: SinkPart<ConfigOf<Schema>> & { readonly schema: Schema },
): SinkPart {
  return part;
}

/** The keys that every entry has. */
type CommonShape<Type extends string> = {
  readonly type: z.ZodLiteral<Type>;
  readonly name: z.ZodOptional<z.ZodString>;
};

const name = text('a name')
  .optional()
  .describe(
    'Unique among the sources, or among the sinks. A reload compares entries by name. Default: the type.',
  );

/** The schema of a type of entry: its keys, and those that every entry has. */
export function entry<const Type extends string, Shape extends z.ZodRawShape>(
  type: Type,
  description: string,
  shape: Shape,
): z.ZodObject<CommonShape<Type> & Shape, z.core.$strict> {
  return mapping({ type: z.literal(type), name, ...shape }).describe(description);
}

/** Parts by their types. */
export function byType<Any extends Part<never, Running>>(parts: readonly Any[]): ReadonlyMap<string, Any> {
  return new Map(parts.map((part) => [typeIn(part.schema), part]));
}

function typeIn(schema: EntrySchema): string {
  const [type] = (schema as unknown as z.core.$ZodTypeDiscriminable)._zod.propValues!.type!;
  return type as string;
}
