import type { AxisUnit } from '@hdrscope/ceph';
import type { CountedUnit } from '@hdrscope/registry';

/** Where a server listens. */
export interface ListenAddress {
  /** A name or an address, without brackets. */
  readonly host: string;
  /** From 0 to 65535; 0 takes a free one. */
  readonly port: number;
}

/** What every entry has. Times are in milliseconds throughout, as the file's texts were understood. */
interface Entry {
  /** Tells it from others of its kind: at a reload the entry of the same name is the same. @default its type */
  readonly name: string;
}

/** Texts added to the attributes of every series of a source. */
export type AttributeTexts = Readonly<Record<string, string>>;

/** The family that values come to which bring no name of their own. */
export interface MetricConfig {
  readonly name: string;
  readonly description: string;
  /** What is counted: times are shown in seconds, sizes in bytes. */
  readonly unit: CountedUnit;
  /** From 0 to 5. */
  readonly significantDigits: number;
}

/** An interval log that is followed as it grows. */
export interface IntervalLogSourceConfig extends Entry {
  readonly type: 'interval-log';
  readonly path: string;
  /** Whether what the log holds already is counted, or only what comes after it. */
  readonly from: 'beginning' | 'end';
  readonly poll: number;
  /** For intervals of which the log tells no family. Without one they are left out. */
  readonly metric?: MetricConfig | undefined;
  readonly attributes: AttributeTexts;
}

/** Numbers on standard input. */
export interface StdinSourceConfig extends Entry {
  readonly type: 'stdin';
  readonly metric: MetricConfig;
  readonly attributes: AttributeTexts;
}

/** A daemon of Ceph, or whatever else serves such a socket. */
export interface CephSourceConfig extends Entry {
  readonly type: 'ceph';
  /** Of its admin socket. */
  readonly socket: string;
  readonly timeout: number;
  readonly since: 'beginning' | 'now';
  readonly units: Readonly<Record<string, AxisUnit>>;
  readonly classes?: { readonly axis: string; readonly bounds: readonly number[] } | undefined;
  readonly attributes: AttributeTexts;
}

/** A map in which an eBPF program counts. */
export interface EbpfMapSourceConfig extends Entry {
  readonly type: 'ebpf-map';
  /** The path of its pin, `id:N` or `name:X`. */
  readonly map: string;
  /** As `kernelLayoutOf` of `@hdrscope/ebpf` reads it. */
  readonly layout: string;
  readonly unit: CountedUnit;
  /** The name of the family. @default that of the map */
  readonly metric?: string | undefined;
  readonly description: string;
  readonly perCpu: boolean;
  /** Whether it is read through bpftool in place of koffi. */
  readonly bpftool: boolean;
  readonly since: 'beginning' | 'now';
  readonly timeout: number;
  readonly attributes: AttributeTexts;
}

/** A bpftrace script that is kept running. */
export interface BpftraceSourceConfig extends Entry {
  readonly type: 'bpftrace';
  /** The path of a script; or else `script` is there. */
  readonly file?: string | undefined;
  readonly script?: string | undefined;
  readonly program: string;
  readonly unit: CountedUnit;
  /** The names of each map's keys. */
  readonly keys: Readonly<Record<string, readonly string[]>>;
  readonly printEvery: number;
  readonly timeout: number;
  readonly attributes: AttributeTexts;
}

/** A receiver of metrics, sent by OpenTelemetry over HTTP. */
export interface OtlpSourceConfig extends Entry {
  readonly type: 'otlp';
  readonly listen: ListenAddress;
  /** Whether others than this machine may send: OTLP knows no password, so whoever reaches the port can write. */
  readonly allowRemote: boolean;
}

export type SourceConfig =
  | IntervalLogSourceConfig
  | StdinSourceConfig
  | CephSourceConfig
  | EbpfMapSourceConfig
  | BpftraceSourceConfig
  | OtlpSourceConfig;

/** An endpoint for Prometheus. */
export interface PrometheusSinkConfig extends Entry {
  readonly type: 'prometheus';
  readonly listen: ListenAddress;
  readonly path: string;
  readonly buckets: 'native' | 'classic' | 'both';
  readonly unitSuffix: boolean;
  /** Whether event loop, garbage collector, CPU and memory of the agent itself are shown, too. */
  readonly processMetrics: boolean;
}

/** Metrics sent by OTLP. */
export interface OtlpSinkConfig extends Entry {
  readonly type: 'otlp';
  readonly protocol: 'http' | 'grpc';
  /** Of the metrics endpoint itself: nothing is added to it. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly interval: number;
  readonly timeout: number;
  readonly temporality: 'cumulative' | 'delta';
  readonly histograms: 'exponential' | 'explicit';
  readonly compression: 'gzip' | 'none';
  readonly resource: AttributeTexts;
}

/** The registry on a socket that answers as a daemon of Ceph. */
export interface AdminSocketSinkConfig extends Entry {
  readonly type: 'admin-socket';
  readonly path: string;
}

/** The registry as an interval log. */
export interface IntervalLogSinkConfig extends Entry {
  readonly type: 'interval-log';
  readonly path: string;
  readonly interval: number;
  readonly aligned: boolean;
  readonly fsync: 'never' | 'rotation' | 'interval';
  readonly rotation: {
    readonly every?: number | undefined;
    /** In bytes. */
    readonly size?: number | undefined;
    readonly keep?: number | undefined;
    readonly gzip: boolean;
  };
}

/** The live page. */
export interface DashboardSinkConfig extends Entry {
  readonly type: 'dashboard';
  readonly listen: ListenAddress;
  /** Asked of whoever opens the page; needed where others than this machine can. */
  readonly token?: string | undefined;
  readonly title: string;
}

export type SinkConfig =
  | PrometheusSinkConfig
  | OtlpSinkConfig
  | AdminSocketSinkConfig
  | IntervalLogSinkConfig
  | DashboardSinkConfig;

/** A configuration, checked and filled in: plain data. */
export interface AgentConfig {
  /** How long a stop may take. */
  readonly shutdownTimeout: number;
  /** Each with a name of its own. */
  readonly sources: readonly SourceConfig[];
  /** Each with a name of its own; at least one. */
  readonly sinks: readonly SinkConfig[];
}
