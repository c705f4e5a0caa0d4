/** A program or a set of packages that tests use where it is installed: see `tools/peers`. */
export type PeerName =
  | 'hdrhistogram-java'
  | 'ceph-client'
  | 'ceph-cluster'
  | 'ceph-reef'
  | 'ceph-squid'
  | 'ceph-tentacle'
  | 'collectd'
  | 'prometheus-2'
  | 'prometheus-3'
  | 'promtool-3'
  | 'victoria-metrics'
  | 'collector'
  | 'ebpf-exporter'
  | 'gen-ai'
  | 'log-go'
  | 'log-rust'
  | 'log-python'
  | 'sketches-go'
  | 'sketches-java'
  | 'sketches-js'
  | 'sketches-python'
  | 'statsd-go'
  | 'statsd-js'
  | 'statsd-python'
  | 'opentelemetry-3'
  | 'opentelemetry-suites'
  | 'prometheus-client'
  | 'site'
  | 'auto-instrumentations'
  | 'image-base'
  | 'node-26'
  | 'node-services'
  | 'kubernetes'
  | 'layouts'
  | 'runtimes'
  | 'frameworks'
  | 'frameworks-previous'
  | 'pm2'
  | 'chdb'
  | 'clickhouse-18'
  | 'zookeeper'
  | 'spark'
  | 'iceberg'
  | 'spark-4'
  | 'verdaccio';

/** The paths of the peers that are installed, by name: `tools/jest/config.js` hands them over. */
const installed: ReadonlyMap<string, string> = new Map(
  Object.entries(JSON.parse(process.env.HDRSCOPE_INSTALLED_PEERS!)),
);

export function isInstalled(name: PeerName): boolean {
  return installed.has(name);
}

/** The path of a peer: its program, or the folder of its packages. */
export function programOf(name: PeerName): string {
  const program = installed.get(name);
  if (program === undefined) throw new Error(whyNotInstalled(name));
  return program;
}

/** The sentence that says how a missing peer is installed. */
export function whyNotInstalled(name: PeerName): string {
  return `${name} is not installed: node tools/peers/install.js ${name}`;
}
