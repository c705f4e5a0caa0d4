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
  /** The address that the server listens on. */
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
  /** Name of the family. */
  readonly name: string;
  /** A sentence for people; `''` when there is no description. */
  readonly description: string;
  /** The unit of the values. Times are shown in seconds, sizes in bytes. */
  readonly unit: CountedUnit;
  /** From 0 to 5. */
  readonly significantDigits: number;
}

/** An interval log that is followed as it grows. */
export interface IntervalLogSourceConfig extends Entry {
  /** Marks a log that is followed. */
  readonly type: 'interval-log';
  /** Path of the log, which may appear later. */
  readonly path: string;
  /** Whether the intervals that the log already holds are counted, or only new ones. */
  readonly since: 'beginning' | 'now';
  /** Milliseconds between two looks at the file. */
  readonly poll: number;
  /** The family of intervals whose family the log does not name. Without it they are left out. */
  readonly metric?: MetricConfig | undefined;
  /** Attributes of every series of the source. */
  readonly attributes: AttributeTexts;
}

/** Numbers on standard input. */
export interface StdinSourceConfig extends Entry {
  /** Marks standard input. */
  readonly type: 'stdin';
  /** The family that takes the numbers. */
  readonly metric: MetricConfig;
  /** Attributes of the series. */
  readonly attributes: AttributeTexts;
}

/** Numbers that other programs write into a named pipe. */
export interface PipeSourceConfig extends Entry {
  /** Marks a named pipe. */
  readonly type: 'pipe';
  /** Path of the pipe, which exists: `mkfifo` makes one. */
  readonly path: string;
  /** The family that takes the numbers. */
  readonly metric: MetricConfig;
  /** Attributes of the series. */
  readonly attributes: AttributeTexts;
}

/** Daemons of Ceph, or other programs that serve such sockets. */
export interface CephSourceConfig extends Entry {
  /** Marks daemons of Ceph. */
  readonly type: 'ceph';
  /** The path of an admin socket, or of a folder of them. */
  readonly socket: string;
  /** Milliseconds that a daemon has for its answers. */
  readonly timeout: number;
  /** Whether counts from before the agent's start are added, or only later ones. */
  readonly since: 'beginning' | 'now';
  /** Units of axes by their names, for axes whose dumps do not state them. */
  readonly units: Readonly<Record<string, AxisUnit>>;
  /** The axis whose ranges become an attribute, and the bounds between them; `undefined` for all values together. */
  readonly classes?: { readonly axis: string; readonly bounds: readonly number[] } | undefined;
  /** Whether there are families of all daemons together, too. */
  readonly merged: boolean;
  /** Attributes of every series of the source. */
  readonly attributes: AttributeTexts;
}

/** A map in which an eBPF program counts. */
export interface EbpfMapSourceConfig extends Entry {
  /** Marks a map in the kernel. */
  readonly type: 'ebpf-map';
  /** The path of its pin, `id:N` or `name:X`. */
  readonly map: string;
  /** The text of a layout, which `parseKernelLayout` of `@hdrscope/ebpf` parses. @default what the map shows */
  readonly layout?: string | undefined;
  /** The types of its keys and values, which `parseMapShape` of `@hdrscope/ebpf` parses. @default the types of the map */
  readonly shape?: string | undefined;
  /** Position of the sum: a field of the value, an index, `after-last` or `none`. @default the field called sum */
  readonly sum?: string | number | undefined;
  /** The unit in which the program counts. */
  readonly unit: CountedUnit;
  /** The name of the family. @default the name of the map, without a unit of `unit` at its end */
  readonly metric?: string | undefined;
  /** A sentence for people. @default the map, its programs, slots and unit */
  readonly description?: string | undefined;
  /** Whether each CPU has series of its own. */
  readonly perCpu: boolean;
  /** Whether bpftool reads the map, and not koffi. */
  readonly bpftool: boolean;
  /** Whether counts from before the agent's start are added, or only later ones. */
  readonly since: 'beginning' | 'now';
  /** Milliseconds that a read may take. */
  readonly timeout: number;
  /** Attributes of every series of the source. */
  readonly attributes: AttributeTexts;
}

/** The histograms of a configuration of ebpf_exporter, read from the maps of its programs. */
export interface EbpfExporterSourceConfig extends Entry {
  /** Marks a configuration of ebpf_exporter. */
  readonly type: 'ebpf-exporter';
  /** The path of the configuration. */
  readonly config: string;
  /** A folder with the pins of the maps, which have the names of the histograms. @default maps are found by their names */
  readonly pins?: string | undefined;
  /** What the names of families begin with. */
  readonly prefix: string;
  /** Whether each CPU has series of its own. */
  readonly perCpu: boolean;
  /** Whether bpftool reads the maps, and not koffi. */
  readonly bpftool: boolean;
  /** Whether counts from before the agent's start are added, or only later ones. */
  readonly since: 'beginning' | 'now';
  /** Milliseconds that a read may take. */
  readonly timeout: number;
  /** Attributes of every series of the source. */
  readonly attributes: AttributeTexts;
}

/** A program of hdrscope that counts in the kernel. */
export interface EbpfProgramSourceConfig extends Entry {
  /** Marks a program that the agent loads. */
  readonly type: 'ebpf-program';
  /** Which program, such as `runqueue`. */
  readonly program: KernelProgramName;
  /** What has series of its own: see `openKernelProgram` of `@hdrscope/ebpf`. */
  readonly by: string;
  /** How many keys the kernel keeps. */
  readonly maxKeys: number;
  /** Whether each CPU has series of its own. */
  readonly perCpu: boolean;
  /** Milliseconds that a read may take. */
  readonly timeout: number;
  /** Attributes of every series of the source. */
  readonly attributes: AttributeTexts;
}

/** A bpftrace script that the agent keeps running. */
export interface BpftraceSourceConfig extends Entry {
  /** Marks a bpftrace script. */
  readonly type: 'bpftrace';
  /** The path of a script. Exactly one of `file` and `script` is there. */
  readonly file?: string | undefined;
  /** The text of a script. Exactly one of `file` and `script` is there. */
  readonly script?: string | undefined;
  /** Name or path of bpftrace. */
  readonly program: string;
  /** The unit of the maps that `maps` gives no other unit. */
  readonly unit: CountedUnit;
  /** The metrics of maps by the names of the maps, such as `@us`. */
  readonly maps: Readonly<Record<string, BpftraceMapConfig>>;
  /** The names of each map's keys. */
  readonly keys: Readonly<Record<string, readonly string[]>>;
  /** Milliseconds between two outputs of the maps; 0 for a script that prints them itself. */
  readonly printEvery: number;
  /** Milliseconds until the script must have printed first. */
  readonly timeout: number;
  /** Attributes of every series of the source. */
  readonly attributes: AttributeTexts;
}

/** The metric of a map of a script. */
export interface BpftraceMapConfig {
  /** The name of the family. @default the name of the map without `@`, and without a unit of `unit` at its end */
  readonly metric?: string | undefined;
  /** A sentence for people. @default the map, its script, slots and unit */
  readonly description?: string | undefined;
  /** The unit in which the script counts. @default the unit of the source */
  readonly unit?: CountedUnit | undefined;
  /** Attributes besides those of the source. */
  readonly attributes: AttributeTexts;
}

/** A receiver of metrics, sent by OpenTelemetry over HTTP. */
export interface OtlpSourceConfig extends ServerConfig {
  /** Marks a receiver of OTLP. */
  readonly type: 'otlp';
  /** Whether other machines may send without a token: everybody who reaches the port can write then. */
  readonly allowRemote: boolean;
}

/** The settings of a source, by its `type`. */
export type SourceConfig =
  | IntervalLogSourceConfig
  | StdinSourceConfig
  | PipeSourceConfig
  | CephSourceConfig
  | EbpfMapSourceConfig
  | EbpfExporterSourceConfig
  | EbpfProgramSourceConfig
  | BpftraceSourceConfig
  | OtlpSourceConfig;

/** An endpoint for Prometheus. */
export interface PrometheusSinkConfig extends ServerConfig {
  /** Marks an endpoint for Prometheus. */
  readonly type: 'prometheus';
  /** The path of scrapes, with a slash in front. */
  readonly path: string;
  /** Which buckets histograms have. */
  readonly buckets: 'native' | 'classic' | 'both';
  /** Whether names end with the unit, such as `_seconds`. */
  readonly unitSuffix: boolean;
  /** Whether event loop, garbage collector, CPU and memory of the agent itself are shown as well. */
  readonly processMetrics: boolean;
}

/** Metrics sent by OTLP. */
export interface OtlpSinkConfig extends Entry {
  /** Marks a sender of OTLP. */
  readonly type: 'otlp';
  /** The transport and the encoding. */
  readonly protocol: 'http/protobuf' | 'http/json' | 'grpc';
  /** The URL of the metrics endpoint itself: nothing is added to it. */
  readonly url: string;
  /** Headers of every request. They win over those of OpenTelemetry's variables. */
  readonly headers: Readonly<Record<string, string>>;
  /** Milliseconds between two requests. */
  readonly interval: number;
  /** Milliseconds that a request and its answer may take. */
  readonly timeout: number;
  /** Whether points have all counts since the start of a series, or those since the request before. */
  readonly temporality: 'cumulative' | 'delta';
  /** The kind of histogram. */
  readonly histograms: 'exponential' | 'explicit';
  /** The encoding of the bodies of requests. */
  readonly compression: 'gzip' | 'none';
  /** The most bytes of a request, before it is compressed. */
  readonly maxRequestSize: number;
  /** Milliseconds for which deltas that nobody takes are kept. */
  readonly giveUpAfter: number;
  /** Files for https. Those that are left out are those of OpenTelemetry's variables, then those of Node.js. */
  readonly tls: { readonly caFile?: string; readonly certFile?: string; readonly keyFile?: string };
  /** Attributes of the resource, such as `service.name`. */
  readonly resource: AttributeTexts;
}

/** Metrics sent by remote write. */
export interface RemoteWriteSinkConfig extends Entry {
  /** Marks a sender of remote write. */
  readonly type: 'remote-write';
  /** The whole URL, with the path. */
  readonly url: string;
  /** Headers of every request, such as `authorization`. */
  readonly headers: Readonly<Record<string, string>>;
  /** Milliseconds between two requests. */
  readonly interval: number;
  /** Milliseconds that a request and its answer may take. */
  readonly timeout: number;
  /** `'custom'` sends histograms of the kernel, of Ceph and explicit ones with their own boundaries. */
  readonly buckets: 'custom' | 'native';
  /** Whether names end with the unit, such as `_seconds`. */
  readonly unitSuffix: boolean;
  /** Files for https. @default those of Node.js */
  readonly tls: { readonly caFile?: string; readonly certFile?: string; readonly keyFile?: string };
  /** Labels of all series, beside `job="hdrscope"`. */
  readonly labels: AttributeTexts;
}

/** The registry on a socket that answers as a daemon of Ceph. */
export interface AdminSocketSinkConfig extends Entry {
  /** Marks an admin socket. */
  readonly type: 'admin-socket';
  /** Path of the socket. */
  readonly path: string;
}

/** The registry as an interval log. */
export interface IntervalLogSinkConfig extends Entry {
  /** Marks an interval log that is written. */
  readonly type: 'interval-log';
  /** Path of the log. */
  readonly path: string;
  /** Length of an interval in milliseconds. */
  readonly interval: number;
  /** Whether intervals begin at multiples of their length. */
  readonly aligned: boolean;
  /** When the system must have the log on the disk. */
  readonly fsync: 'never' | 'rotation' | 'interval';
  /** When a log is closed and a new one begun, and what becomes of closed ones. */
  readonly rotation: {
    /** The age that closes a log, in milliseconds. @default any age */
    readonly every?: number | undefined;
    /** The size that closes a log, in bytes. @default any size */
    readonly size?: number | undefined;
    /** How many closed logs stay. @default all */
    readonly keep?: number | undefined;
    /** Whether closed logs are compressed. */
    readonly gzip: boolean;
  };
}

/** The keys that say where the rows of a history go. */
export const HISTORY_PLACES = ['folder', 'clickhouse', 'postgres'] as const;

/** The registry as rows for months: in Parquet files or in a table. It has exactly one of `folder`, `clickhouse` and `postgres`. */
export interface HistorySinkConfig extends Entry {
  /** Marks a history. */
  readonly type: 'history';
  /** The folder of the files. It is made if it does not exist. */
  readonly folder?: string;
  /** The table of ClickHouse that takes the rows. */
  readonly clickhouse?: ClickHouseConfig;
  /** The table of PostgreSQL that takes the rows. */
  readonly postgres?: TableConfig;
  /** Length of an interval in milliseconds: each series with new values has a row for each. */
  readonly interval: number;
  /** Milliseconds for which rows wait in memory at most. An agent that is killed loses them. @default 15 minutes for a folder, no time for a table */
  readonly batch?: number;
  /** The memory of rows that cannot be written, in bytes. The oldest rows beyond it are lost. */
  readonly maxWaitingSize: number;
  /** A readable name of the writer. @default the name of the host */
  readonly producer?: string | undefined;
}

/** A table of a server. */
export interface TableConfig {
  /** The address of the server, such as `postgres://localhost/metrics`. */
  readonly url: string;
  /** Who asks the server. @default the user of `url` */
  readonly user?: string;
  /** The password of the user. @default the password of `url` */
  readonly password?: string;
  /** Its name, or the parts of a qualified name. */
  readonly table: string | readonly string[];
  /** Whether it is made if it does not exist. */
  readonly create: boolean;
  /** Milliseconds that an insert may take. */
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
  /** Marks the live page. */
  readonly type: 'dashboard';
  /** The title of the page. */
  readonly title: string;
}

/** Answers whether all sources and sinks work. */
export interface HealthSinkConfig extends ServerConfig {
  /** Marks a server that only has `/healthz`. */
  readonly type: 'health';
}

/** The settings of a sink, by its `type`. */
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
export interface CheckedConfig {
  /** Milliseconds that a stop may take. */
  readonly shutdownTimeout: number;
  /** Names are unique. */
  readonly sources: readonly SourceConfig[];
  /** At least one. Names are unique. */
  readonly sinks: readonly SinkConfig[];
}
