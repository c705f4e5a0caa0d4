import type { AxisUnit } from '@hdrscope/ceph';
import type { KernelProgramName } from '@hdrscope/ebpf/loader';
import type { ServerLimits, TlsFiles } from '@hdrscope/kit/server';
import type { CountedUnit } from '@hdrscope/registry';

/** Where a server listens. */
export interface ListenAddress {
  /** A name or an address, without brackets. */
  readonly host: string;
  /** From 0 to 65535; 0 takes a free one. */
  readonly port: number;
}

/** The keys of every entry. All times are in milliseconds; the file has them as texts. */
interface Entry {
  /** Unique among the entries of its kind. A reload compares entries by name. @default the type of the entry */
  readonly name: string;
}

/** The keys of every entry that is an HTTP server. Health is at `/healthz`, without a token. */
export interface ServerConfig extends Entry {
  readonly listen: ListenAddress;
  /** The password of clients, which send `Authorization: Bearer TOKEN`. */
  readonly token?: string | undefined;
  /** Names besides loopback names by which clients may call a server that listens on loopback. */
  readonly allowedHosts: readonly string[];
  /** Limits that differ from those of every server of hdrscope. */
  readonly limits: Partial<ServerLimits>;
  /** The files of a certificate, for HTTPS. They are read again when they change. */
  readonly tls?: TlsFiles | undefined;
}

/** Texts added to the attributes of every series of a source. */
export type AttributeTexts = Readonly<Record<string, string>>;

/** The family of values that have no metric name of their own. */
export interface MetricConfig {
  readonly name: string;
  readonly description: string;
  /** The unit of the values. Times are shown in seconds, sizes in bytes. */
  readonly unit: CountedUnit;
  /** From 0 to 5. */
  readonly significantDigits: number;
}

/** An interval log that is followed as it grows. */
export interface IntervalLogSourceConfig extends Entry {
  readonly type: 'interval-log';
  readonly path: string;
  /** Whether the intervals that the log already holds are counted, or only new ones. */
  readonly from: 'beginning' | 'end';
  readonly poll: number;
  /** The family of intervals whose family the log does not name. Without it they are left out. */
  readonly metric?: MetricConfig | undefined;
  readonly attributes: AttributeTexts;
}

/** Numbers on standard input. */
export interface StdinSourceConfig extends Entry {
  readonly type: 'stdin';
  readonly metric: MetricConfig;
  readonly attributes: AttributeTexts;
}

/** Daemons of Ceph, or other programs that serve such sockets. */
export interface CephSourceConfig extends Entry {
  readonly type: 'ceph';
  /** The path of an admin socket, or of a folder of them. */
  readonly socket: string;
  readonly timeout: number;
  readonly since: 'beginning' | 'now';
  readonly units: Readonly<Record<string, AxisUnit>>;
  readonly classes?: { readonly axis: string; readonly bounds: readonly number[] } | undefined;
  /** Whether there are families of all daemons together, too. */
  readonly merged: boolean;
  readonly attributes: AttributeTexts;
}

/** A map in which an eBPF program counts. */
export interface EbpfMapSourceConfig extends Entry {
  readonly type: 'ebpf-map';
  /** The path of its pin, `id:N` or `name:X`. */
  readonly map: string;
  /** The text of a layout, which `kernelLayoutOf` of `@hdrscope/ebpf` parses. @default what the map shows */
  readonly layout?: string | undefined;
  /** The types of its keys and values, which `mapShapeOf` of `@hdrscope/ebpf` parses. @default the types of the map */
  readonly shape?: string | undefined;
  /** Position of the sum: a field of the value, an index, `after-last` or `none`. @default the field called sum */
  readonly sum?: string | number | undefined;
  readonly unit: CountedUnit;
  /** The name of the family. @default the name of the map, without a unit of `unit` at its end */
  readonly metric?: string | undefined;
  /** @default the map, its programs, slots and unit */
  readonly description?: string | undefined;
  readonly perCpu: boolean;
  /** Whether bpftool reads the map, and not koffi. */
  readonly bpftool: boolean;
  readonly since: 'beginning' | 'now';
  readonly timeout: number;
  readonly attributes: AttributeTexts;
}

/** The histograms of a configuration of ebpf_exporter, read from the maps of its programs. */
export interface EbpfExporterSourceConfig extends Entry {
  readonly type: 'ebpf-exporter';
  /** The path of the configuration. */
  readonly config: string;
  /** A folder with the pins of the maps, which have the names of the histograms. @default maps are found by their names */
  readonly pins?: string | undefined;
  /** What the names of families begin with. */
  readonly prefix: string;
  readonly perCpu: boolean;
  /** Whether bpftool reads the maps, and not koffi. */
  readonly bpftool: boolean;
  readonly since: 'beginning' | 'now';
  readonly timeout: number;
  readonly attributes: AttributeTexts;
}

/** A program of hdrscope that counts in the kernel. */
export interface EbpfProgramSourceConfig extends Entry {
  readonly type: 'ebpf-program';
  readonly program: KernelProgramName;
  /** What has series of its own: see `openKernelProgram` of `@hdrscope/ebpf`. */
  readonly by: string;
  /** How many keys the kernel keeps. */
  readonly maxKeys: number;
  readonly perCpu: boolean;
  readonly timeout: number;
  readonly attributes: AttributeTexts;
}

/** A bpftrace script that the agent keeps running. */
export interface BpftraceSourceConfig extends Entry {
  readonly type: 'bpftrace';
  /** The path of a script. Exactly one of `file` and `script` is there. */
  readonly file?: string | undefined;
  readonly script?: string | undefined;
  readonly program: string;
  /** The unit of the maps that `maps` gives no other unit. */
  readonly unit: CountedUnit;
  /** The metrics of maps by the names of the maps, such as `@us`. */
  readonly maps: Readonly<Record<string, BpftraceMapConfig>>;
  /** The names of each map's keys. */
  readonly keys: Readonly<Record<string, readonly string[]>>;
  readonly printEvery: number;
  readonly timeout: number;
  readonly attributes: AttributeTexts;
}

/** The metric of a map of a script. */
export interface BpftraceMapConfig {
  /** The name of the family. @default the name of the map without `@`, and without a unit of `unit` at its end */
  readonly metric?: string | undefined;
  /** @default the map, its script, slots and unit */
  readonly description?: string | undefined;
  /** @default the unit of the source */
  readonly unit?: CountedUnit | undefined;
  /** Attributes besides those of the source. */
  readonly attributes: AttributeTexts;
}

/** A receiver of metrics, sent by OpenTelemetry over HTTP. */
export interface OtlpSourceConfig extends ServerConfig {
  readonly type: 'otlp';
  /** Whether other machines may send without a token: everybody who reaches the port can write then. */
  readonly allowRemote: boolean;
}

export type SourceConfig =
  | IntervalLogSourceConfig
  | StdinSourceConfig
  | CephSourceConfig
  | EbpfMapSourceConfig
  | EbpfExporterSourceConfig
  | EbpfProgramSourceConfig
  | BpftraceSourceConfig
  | OtlpSourceConfig;

/** An endpoint for Prometheus. */
export interface PrometheusSinkConfig extends ServerConfig {
  readonly type: 'prometheus';
  readonly path: string;
  readonly buckets: 'native' | 'classic' | 'both';
  readonly unitSuffix: boolean;
  /** Whether event loop, garbage collector, CPU and memory of the agent itself are shown as well. */
  readonly processMetrics: boolean;
}

/** Metrics sent by OTLP. */
export interface OtlpSinkConfig extends Entry {
  readonly type: 'otlp';
  readonly protocol: 'http/protobuf' | 'http/json' | 'grpc';
  /** The URL of the metrics endpoint itself: nothing is added to it. */
  readonly url: string;
  /** They win over those of OpenTelemetry's variables. */
  readonly headers: Readonly<Record<string, string>>;
  readonly interval: number;
  readonly timeout: number;
  readonly temporality: 'cumulative' | 'delta';
  readonly histograms: 'exponential' | 'explicit';
  readonly compression: 'gzip' | 'none';
  /** The most bytes of a request, before it is compressed. */
  readonly maxRequestBytes: number;
  /** How long deltas that nobody takes are kept. */
  readonly giveUpAfter: number;
  /** Files for https. Those that are left out are those of OpenTelemetry's variables, then those of Node.js. */
  readonly tls: { readonly caFile?: string; readonly certFile?: string; readonly keyFile?: string };
  readonly resource: AttributeTexts;
}

/** Metrics sent by remote write. */
export interface RemoteWriteSinkConfig extends Entry {
  readonly type: 'remote-write';
  /** The whole URL. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly interval: number;
  readonly timeout: number;
  /** `'custom'` sends histograms of the kernel, of Ceph and explicit ones with their own boundaries. */
  readonly buckets: 'custom' | 'native';
  readonly unitSuffix: boolean;
  /** Files for https. @default those of Node.js */
  readonly tls: { readonly caFile?: string; readonly certFile?: string; readonly keyFile?: string };
  /** Labels of all series, beside `job="hdrscope"`. */
  readonly labels: AttributeTexts;
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
    /** The size that closes a log, in bytes. */
    readonly size?: number | undefined;
    readonly keep?: number | undefined;
    readonly gzip: boolean;
  };
}

/** The keys that say where the rows of a history go. */
export const HISTORY_PLACES = ['folder', 'clickhouse', 'postgres'] as const;

/** The registry as rows for months: in Parquet files or in a table. It has exactly one of `folder`, `clickhouse` and `postgres`. */
export interface HistorySinkConfig extends Entry {
  readonly type: 'history';
  /** The folder of the files. It is made if it does not exist. */
  readonly folder?: string;
  readonly clickhouse?: ClickHouseConfig;
  readonly postgres?: TableConfig;
  /** The length of an interval: each series with new values has a row for each. */
  readonly every: number;
  /** How long rows wait in memory at most. An agent that is killed loses them. @default 15 minutes for a folder, no time for a table */
  readonly rotate?: number;
  /** The memory of rows that cannot be written, in bytes. The oldest rows beyond it are lost. */
  readonly maxWaiting: number;
  /** A readable name of the writer. @default the name of the host */
  readonly producer?: string | undefined;
}

/** A table of a server. */
export interface TableConfig {
  readonly url: string;
  /** @default the user of `url` */
  readonly user?: string;
  /** @default the password of `url` */
  readonly password?: string;
  /** Its name, or the parts of a qualified name. */
  readonly table: string | readonly string[];
  /** Whether it is made if it does not exist. */
  readonly create: boolean;
  readonly timeout: number;
}

/** A table of ClickHouse. */
export interface ClickHouseConfig extends TableConfig {
  /** After how many days the table that is made removes rows. @default rows stay */
  readonly ttlDays?: number;
  /** Files for https. @default those of Node.js */
  readonly tls: { readonly caFile?: string; readonly certFile?: string; readonly keyFile?: string };
}

/** The live page. It needs a token when other machines can open it. */
export interface DashboardSinkConfig extends ServerConfig {
  readonly type: 'dashboard';
  readonly title: string;
}

/** Answers whether all sources and sinks work. */
export interface HealthSinkConfig extends ServerConfig {
  readonly type: 'health';
}

export type SinkConfig =
  | PrometheusSinkConfig
  | OtlpSinkConfig
  | RemoteWriteSinkConfig
  | AdminSocketSinkConfig
  | IntervalLogSinkConfig
  | HistorySinkConfig
  | DashboardSinkConfig
  | HealthSinkConfig;

/** A checked configuration with all defaults, as plain data. */
export interface AgentConfig {
  /** The time limit of a stop. */
  readonly shutdownTimeout: number;
  /** Names are unique. */
  readonly sources: readonly SourceConfig[];
  /** At least one. Names are unique. */
  readonly sinks: readonly SinkConfig[];
}
