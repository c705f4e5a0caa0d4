import type { StatsdOther } from '@hdrscope/inputs/statsd';
import { noRefusals, REFUSAL_REASONS, type ServerRefusals } from '@hdrscope/kit/server';
import type { OtlpSenderHealth } from '@hdrscope/otel/sender';
import type { MetricFamily } from '@hdrscope/prometheus';

/** How a source or a sink is doing. Counts only grow, also over restarts and reloads. */
export interface EntryHealth {
  /** Which list of the configuration it is in. */
  readonly kind: 'source' | 'sink';
  /** Its name, unique within its kind. */
  readonly name: string;
  /** Its type, such as `ceph` or `otlp`. */
  readonly type: string;
  /**
   * - `'starting'`: it has not started yet.
   * - `'running'`: its last action succeeded.
   * - `'failing'`: its last action failed; it goes on by itself.
   * - `'waiting'`: it could not start or has died; the agent starts it again later.
   * - `'stopped'`: the agent has stopped it.
   */
  readonly state: 'starting' | 'running' | 'failing' | 'waiting' | 'stopped';
  /** How many values the source has brought; 0 for a sink. */
  readonly values: number;
  /** How many values the source could not measure; `undefined` for a source that does not count them, and a sink. */
  readonly missed: number | undefined;
  /** How many of its actions failed. */
  readonly errors: number;
  /** How often it was started again after it could not start or had died. */
  readonly restarts: number;
  /** When its last action succeeded, in milliseconds since 1970; `undefined` before the first success. */
  readonly lastSuccessMs: number | undefined;
  /** The message of the last error; `undefined` before the first one. It stays when the entry works again. */
  readonly lastError: string | undefined;
  /** The deliveries of a sink of type `otlp` or `remote-write`; `undefined` for all others. */
  readonly delivery: EntryDelivery | undefined;
  /** The rows of a sink of type `history`; `undefined` for all others. */
  readonly storage: EntryStorage | undefined;
  /** The packets of a source of type `statsd`; `undefined` for all others. */
  readonly packets: EntryPackets | undefined;
  /** Requests and connections that the server of the entry has refused, by reason; all 0 where there is no server. */
  readonly refusals: Readonly<ServerRefusals>;
}

/** Counts that a sink has delivered, and counts that it has not. */
export type EntryDelivery = OtlpSenderHealth;

/** Rows that a sink has stored, and rows that it has not. */
export interface EntryStorage {
  /** Rows in memory, for the next file or insert. */
  readonly waitingRows: number;
  /** Rows in files or in the table. */
  readonly writtenRows: number;
  /** Rows that were given up, because they could not be written for too long. */
  readonly lostRows: number;
}

/** Packets that a source has received, and what it has not counted. */
export interface EntryPackets {
  /** Packets that were read. */
  readonly received: number;
  /** Packets that the kernel has dropped, because the source read too slowly; `undefined` where the kernel does not say. */
  readonly dropped: number | undefined;
  /** Lines that are not well formed, and packets that are larger than any that is read. */
  readonly malformed: number;
  /** Lines without values of a distribution: counters, gauges, sets, events, service checks. */
  readonly leftOut: Readonly<Record<StatsdOther, number>>;
  /** Values that found no room among the series, or whose metric has another unit already. */
  readonly refusedValues: number;
  /** Values that were not received: those that sample rates stand for. They are not among the `values` of the source. */
  readonly estimatedValues: number;
}

/** How an agent is doing. */
export interface AgentHealth {
  /** When the agent began, in milliseconds since 1970. */
  readonly startedMs: number;
  /** How many configurations were applied after the first one, and how many were refused. */
  readonly reloads: { readonly applied: number; readonly refused: number };
  /** Sources, then sinks, in the order of the configuration. */
  readonly entries: readonly EntryHealth[];
}

/** The counters of an entry while it works. */
export type Tally = { -readonly [Fact in keyof Omit<EntryHealth, 'refusals'>]: EntryHealth[Fact] } & {
  readonly refusals: ServerRefusals;
};

export function newTally(kind: EntryHealth['kind'], name: string, type: string): Tally {
  return {
    kind,
    name,
    type,
    state: 'starting',
    values: 0,
    missed: undefined,
    errors: 0,
    restarts: 0,
    lastSuccessMs: undefined,
    lastError: undefined,
    delivery: undefined,
    storage: undefined,
    packets: undefined,
    refusals: noRefusals(),
  };
}

/** A metric of the agent itself, for every sink that shows numbers. */
interface HealthNumber {
  /** OpenTelemetry's name, with dots; Prometheus gets underscores. */
  readonly name: string;
  readonly kind: 'counter' | 'gauge';
  readonly unit: string;
  readonly description: string;
  points(health: AgentHealth, nowMs: number): readonly HealthPoint[];
}

interface HealthPoint {
  readonly attributes: Readonly<Record<string, string>>;
  readonly value: number;
}

/** All metrics of the agent. The list never changes. */
export const HEALTH_NUMBERS: readonly HealthNumber[] = [
  {
    name: 'hdrscope.agent.source.values',
    kind: 'counter',
    unit: '',
    description: 'Values that a source has brought',
    points: ofEntries(({ kind, values }) => (kind === 'source' ? values : undefined)),
  },
  {
    name: 'hdrscope.agent.source.missed.values',
    kind: 'counter',
    unit: '',
    description: 'Values that a source could not measure, because their beginning was not seen',
    points: ofEntries(({ missed }) => missed),
  },
  {
    name: 'hdrscope.agent.errors',
    kind: 'counter',
    unit: '',
    description: 'Failures of a source or a sink',
    points: ofEntries(({ errors }) => errors),
  },
  {
    name: 'hdrscope.agent.restarts',
    kind: 'counter',
    unit: '',
    description: 'How often a source or a sink was started again after it had failed',
    points: ofEntries(({ restarts }) => restarts),
  },
  {
    name: 'hdrscope.agent.up',
    kind: 'gauge',
    unit: '',
    description: 'Whether the last action of a source or a sink succeeded',
    points: ofEntries(({ state }) => (state === 'running' ? 1 : 0)),
  },
  {
    name: 'hdrscope.agent.last.success.age',
    kind: 'gauge',
    unit: 's',
    description: 'Seconds since an action of a source or a sink succeeded',
    points: ofEntries(({ lastSuccessMs }, nowMs) =>
      lastSuccessMs === undefined ? undefined : Math.max(0, nowMs - lastSuccessMs) / 1000,
    ),
  },
  {
    name: 'hdrscope.agent.sink.pending.values',
    kind: 'gauge',
    unit: '',
    description: 'Values that the receiver of a sink has not taken yet, in deltas',
    points: ofEntries(({ delivery }) => delivery?.pendingValues),
  },
  {
    name: 'hdrscope.agent.sink.rejected.points',
    kind: 'counter',
    unit: '',
    description: 'Points that the receiver of a sink has rejected in requests that it took',
    points: ofEntries(({ delivery }) => delivery?.rejectedPoints),
  },
  {
    name: 'hdrscope.agent.sink.given.up.values',
    kind: 'counter',
    unit: '',
    description:
      'Values that a sink has given up: its receiver took nothing for too long, or refused them for their size',
    points: ofEntries(({ delivery }) => delivery?.givenUpValues),
  },
  {
    name: 'hdrscope.agent.sink.uncertain.values',
    kind: 'counter',
    unit: '',
    description: 'Values that a sink has given up and its receiver may have',
    points: ofEntries(({ delivery }) => delivery?.uncertainValues),
  },
  {
    name: 'hdrscope.agent.sink.too.large.points',
    kind: 'counter',
    unit: '',
    description: 'Points that the receiver of a sink has refused for their size, each alone in its request',
    points: ofEntries(({ delivery }) => delivery?.tooLargePoints),
  },
  {
    name: 'hdrscope.agent.sink.waiting.rows',
    kind: 'gauge',
    unit: '',
    description: 'Rows of a history that wait in memory for the next file or insert',
    points: ofEntries(({ storage }) => storage?.waitingRows),
  },
  {
    name: 'hdrscope.agent.sink.written.rows',
    kind: 'counter',
    unit: '',
    description: 'Rows that a history has written',
    points: ofEntries(({ storage }) => storage?.writtenRows),
  },
  {
    name: 'hdrscope.agent.sink.lost.rows',
    kind: 'counter',
    unit: '',
    description: 'Rows that a history has given up, because they could not be written for too long',
    points: ofEntries(({ storage }) => storage?.lostRows),
  },
  {
    name: 'hdrscope.agent.source.packets',
    kind: 'counter',
    unit: '',
    description: 'Packets that a source has read',
    points: ofEntries(({ packets }) => packets?.received),
  },
  {
    name: 'hdrscope.agent.source.dropped.packets',
    kind: 'counter',
    unit: '',
    description: 'Packets that the kernel has dropped, because a source read too slowly',
    points: ofEntries(({ packets }) => packets?.dropped),
  },
  {
    name: 'hdrscope.agent.source.malformed.lines',
    kind: 'counter',
    unit: '',
    description: 'Lines of packets that are not well formed: nothing of them counts',
    points: ofEntries(({ packets }) => packets?.malformed),
  },
  {
    name: 'hdrscope.agent.source.left.out.lines',
    kind: 'counter',
    unit: '',
    description: 'Lines of packets that have no values of a distribution',
    points: ({ entries }) =>
      entries.flatMap(({ kind, name, type, packets }) =>
        Object.entries(packets?.leftOut ?? {}).map(([what, value]) => ({
          attributes: { kind, name, type, what },
          value,
        })),
      ),
  },
  {
    name: 'hdrscope.agent.source.refused.values',
    kind: 'counter',
    unit: '',
    description: 'Values that found no room among the series of a source, or had another unit',
    points: ofEntries(({ packets }) => packets?.refusedValues),
  },
  {
    name: 'hdrscope.agent.source.estimated.values',
    kind: 'counter',
    unit: '',
    description: 'Values that a source has counted and not received, because clients sent samples',
    points: ofEntries(({ packets }) => packets?.estimatedValues),
  },
  {
    name: 'hdrscope.agent.server.refusals',
    kind: 'counter',
    unit: '',
    description: 'Requests and connections that the server of a source or a sink has refused',
    points: ({ entries }) =>
      entries.flatMap(({ kind, name, type, refusals }) =>
        REFUSAL_REASONS.filter((reason) => refusals[reason] > 0).map((reason) => ({
          attributes: { kind, name, type, reason },
          value: refusals[reason],
        })),
      ),
  },
  {
    name: 'hdrscope.agent.reloads',
    kind: 'counter',
    unit: '',
    description: 'How often another configuration was applied or refused',
    points: ({ reloads }) => [
      { attributes: { result: 'applied' }, value: reloads.applied },
      { attributes: { result: 'refused' }, value: reloads.refused },
    ],
  },
];

function ofEntries(
  numberOf: (entry: EntryHealth, nowMs: number) => number | undefined,
): HealthNumber['points'] {
  return ({ entries }, nowMs) =>
    entries.flatMap((entry) => {
      const value = numberOf(entry, nowMs);
      const { kind, name, type } = entry;
      return value === undefined ? [] : [{ attributes: { kind, name, type }, value }];
    });
}

/** The agent's metrics under Prometheus' names, which end with the unit. */
export function healthFamilies({
  health,
  nowMs,
}: {
  health(): AgentHealth;
  nowMs(): number;
}): MetricFamily[] {
  const now = health();
  return HEALTH_NUMBERS.map(({ name, kind, unit, description, points }) => ({
    name: `${name.replaceAll('.', '_')}${unit === 's' ? '_seconds' : ''}`,
    help: description,
    unit,
    type: kind,
    metrics: points(now, nowMs()).map(({ attributes, value }) => ({
      labels: Object.entries(attributes),
      ...(kind === 'counter' && { createdMs: now.startedMs }),
      value: { kind: 'number', value },
    })),
  }));
}
