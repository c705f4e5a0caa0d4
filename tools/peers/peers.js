import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fillFolder, peersFolder } from './cache.js';
import { CEPH_RELEASES, unpackCeph, unpackCephDaemons, unpackCephRelease } from './ceph.js';
import { downloadPackages, unpackDebianPackage, unpackWithDependencies, writeCommand } from './debian.js';
import { buildEbpfExporter, COMMIT as EBPF_EXPORTER_COMMIT } from './ebpf-exporter.js';
import { COMMIT, fetchOpenTelemetryJs } from './opentelemetry-js.js';
import { run } from './run.js';
import {
  buildWithCargo,
  buildWithGo,
  buildWithMaven,
  ICEBERG_OF_SPARK,
  installIceberg,
  installLayouts,
  installWithNpm,
  installWithPip,
  MANIFESTS,
} from './toolchains.js';

/**
 * A program or a set of packages that tests use and this workspace does not install.
 *
 * @typedef {object} Peer
 * @property {string} name
 * @property {string} version
 * @property {string} folder Its folder in the cache. The name changes with the sources and settings of the peer.
 * @property {string} program Path of the program, or of the folder of packages, relative to `folder`.
 * @property {(folder: string) => void} make Fills an empty folder.
 * @property {boolean} [isCompiled] Whether that takes processors for minutes, and hardly the network.
 * @property {boolean} [isExtra] Whether the peer is installed by its name only: it is large, or no test uses it.
 */

const IMAGE_PACKAGES = /** @type {const} */ ([
  ...['libc6', 'libgcc-s1', 'libstdc++6', 'libatomic1', 'gcc-12-base'],
  ...['libbpf1', 'libelf1', 'zlib1g'],
]);

/** @type {readonly Peer[]} */
export const PEERS = [
  {
    name: 'prometheus-2',
    version: '2.42.0',
    folder: 'prometheus-2.42.0',
    program: 'usr/bin/prometheus',
    make: (folder) => unpackDebianPackage({ name: 'prometheus', version: '2.42.0' }, folder),
  },
  {
    name: 'hdrhistogram-java',
    version: '2.1.11',
    folder: 'libhdrhistogram-java-2.1.11',
    program: 'usr/share/java/hdrhistogram.jar',
    make: (folder) => {
      run('java', ['-version'], { limitSeconds: 30 });
      unpackDebianPackage({ name: 'libhdrhistogram-java', version: '2.1.11' }, folder);
    },
  },
  {
    name: 'ceph-client',
    version: '16.2.15',
    folder: 'ceph-client-16.2.15',
    program: 'bin/ceph',
    make: unpackCeph,
  },
  {
    name: 'ceph-cluster',
    version: '16.2.15',
    folder: 'ceph-cluster-16.2.15',
    program: 'bin/ceph-osd',
    make: unpackCephDaemons,
    isExtra: true,
  },
  ...Object.entries(CEPH_RELEASES).map(([name, release]) => ({
    name: `ceph-${name}`,
    version: release.version,
    folder: `ceph-${name}-${release.version}`,
    program: 'bin/ceph-osd',
    make: (/** @type {string} */ folder) => unpackCephRelease(release, folder),
    isExtra: true,
  })),
  {
    name: 'collectd',
    version: '5.12.0',
    folder: 'collectd-5.12.0',
    program: 'bin/collectd',
    make: (folder) => {
      unpackDebianPackage({ name: 'collectd-core', version: '5.12' }, folder);
      unpackDebianPackage({ name: 'libltdl7', version: '2.4' }, folder);
      unpackDebianPackage({ name: 'libyajl2', version: '2.1' }, folder);
      const program = writeCommand(folder, 'collectd', 'exec "$here/usr/sbin/collectd"');
      run(program, ['-h'], { limitSeconds: 30 });
    },
  },
  builtPeer({ name: 'collector', version: '0.155.0', target: '.', program: 'collector' }),
  builtPeer({
    name: 'prometheus-3',
    version: '3.16.0',
    target: 'github.com/prometheus/prometheus/cmd/prometheus',
    program: 'prometheus',
    // Service discovery of clouds is most of Prometheus' code. Without `builtinassets` there are no web pages.
    tags: 'remove_all_sd',
  }),
  builtPeer({
    name: 'promtool-3',
    version: '3.16.0',
    target: 'github.com/prometheus/prometheus/cmd/promtool',
    program: 'promtool',
    tags: 'remove_all_sd',
    module: join(import.meta.dirname, 'prometheus-3'),
  }),
  {
    ...builtPeer({
      name: 'victoria-metrics',
      version: '20250718',
      target: 'github.com/VictoriaMetrics/VictoriaMetrics/app/victoria-metrics',
      program: 'victoria-metrics',
    }),
    isExtra: true,
  },
  builtPeer({ name: 'log-go', version: '1.4.0', target: '.', program: 'log-peer' }),
  {
    ...builtPeer({
      name: 'contention-go',
      version: '1.24.1',
      target: '.',
      program: 'contention',
      module: join(import.meta.dirname, '../contention/go'),
    }),
    isExtra: true,
  },
  madePeer('log-rust', '7.5.4', 'bin/log-peer', buildWithCargo),
  madePeer('log-python', '0.10.8', 'bin/log-peer', (module, folder) =>
    installWithPip({ module, script: 'log_peer.py', program: 'log-peer' }, folder),
  ),
  // DDSketches of all libraries, and the other sketches that have a library in Go.
  builtPeer({ name: 'sketches-go', version: '1.4.8', target: '.', program: 'sketches-peer' }),
  madePeer('sketches-python', '3.0.1', 'bin/sketches-peer', (module, folder) =>
    installWithPip({ module, script: 'sketches_peer.py', program: 'sketches-peer' }, folder),
  ),
  npmPeer('sketches-js', '2.1.1'),
  madePeer('sketches-java', '0.8.3', 'bin/sketches-peer', buildWithMaven),
  // Clients of StatsD.
  builtPeer({ name: 'statsd-go', version: '5.9.1', target: '.', program: 'statsd-peer' }),
  madePeer('statsd-python', '0.56.0', 'bin/statsd-peer', (module, folder) =>
    installWithPip({ module, script: 'statsd_peer.py', program: 'statsd-peer' }, folder),
  ),
  npmPeer('statsd-js', '17.1.1'),
  { ...npmPeer('form-readers', '5.7.1'), isExtra: true },
  {
    ...madePeer('otava', '0.8.0', 'bin/change-points', (module, folder) =>
      installWithPip({ module, script: 'change_points.py', program: 'change-points' }, folder),
    ),
    isExtra: true,
  },
  // These packages ask for Node.js 22.15, so the workspace itself cannot have them without warnings.
  npmPeer('opentelemetry-3', '3.1.1'),
  // As these: it asks for Node.js 22, and its tests run on Node.js 20 too.
  npmPeer('prometheus-client', '0.16.1'),
  // What services are made of: frameworks, two releases of `NodeSDK`, and a bundler.
  npmPeer('node-services', '0.223.0'),
  // What `npm run frameworks` tries, and the releases before: packages are patched by the names of their folders, so each has its own.
  { ...npmPeer('frameworks', '0.223.0'), isExtra: true },
  { ...npmPeer('frameworks-previous', '15.5.29'), isExtra: true },
  // Bun and Deno.
  npmPeer('runtimes', '1.4.5'),
  // An application as npm, pnpm and Yarn lay it out.
  madePeer('layouts', '10.34.8', 'layouts', installLayouts),
  // Keeps processes of a service, as a cluster or apart.
  npmPeer('pm2', '7.0.4'),
  // The client of a server of models, and its instrumentation, which asks for Node.js 22.15 and runs on 20 too.
  npmPeer('gen-ai', '0.22.0'),
  // With its own copy of the API, older than that of the workspace.
  npmPeer('auto-instrumentations', '0.81.2'),
  // What `npm run site` needs.
  npmPeer('site', '1.6.4', join(import.meta.dirname, '../../site')),
  // Reads manifests as the API server does.
  builtPeer({ name: 'kubernetes', version: '0.37.2', target: '.', program: 'read-manifests' }),
  // The Node.js of `npm run executable`, as npm has it. Its version is that of the package.
  { ...npmPeer('node-26', '26.12.1'), isExtra: true },
  // The Debian packages in the image of `npm run image`: what Node.js needs, and libbpf, which loads programs into the kernel.
  {
    name: 'image-base',
    version: '12',
    folder: 'image-base-12',
    program: 'archives',
    make: (folder) => {
      mkdirSync(join(folder, 'archives'));
      downloadPackages(IMAGE_PACKAGES, join(folder, 'archives'));
    },
    isExtra: true,
  },
  // A registry of packages, for `npm run release`.
  { ...npmPeer('verdaccio', '6.4.0'), isExtra: true },
  // Too old for the statements of a history, but a server, with shards.
  {
    name: 'clickhouse-18',
    version: '18.16.1',
    folder: 'clickhouse-18.16.1',
    program: 'bin/clickhouse-server',
    make: (folder) => {
      const names = ['clickhouse-server', 'clickhouse-common'];
      const wanted = names.map((name) => ({ name, version: '18.16.1' }));
      unpackWithDependencies(wanted, folder);
      writeCommand(folder, 'clickhouse-server', 'exec "$here/usr/sbin/clickhouse-server"');
    },
  },
  // Coordinates servers of ClickHouse.
  {
    name: 'zookeeper',
    version: '3.8.0',
    folder: 'zookeeper-3.8.0',
    program: 'bin/zookeeper',
    make: (folder) => {
      run('java', ['-version'], { limitSeconds: 30 });
      unpackWithDependencies([{ name: 'zookeeper', version: '3.8.0' }], folder);
      const main = 'org.apache.zookeeper.server.quorum.QuorumPeerMain';
      writeCommand(folder, 'zookeeper', `exec java -Xmx128m -cp "$here/usr/share/java/*" ${main}`);
    },
  },
  // ClickHouse in a process.
  { ...npmPeer('chdb', '3.4.0'), isExtra: true },
  {
    ...madePeer('spark', '3.5.9', 'bin/spark-sql', (module, folder) => installSpark(module, folder)),
    isExtra: true,
  },
  {
    ...madePeer('spark-4', '4.3.0', 'bin/spark-sql', (module, folder) =>
      installSpark(join(import.meta.dirname, 'spark'), folder, join(module, 'requirements.txt')),
    ),
    isExtra: true,
  },
  {
    ...madePeer('iceberg', '0.12.0', 'bin/iceberg-python', installIceberg, ICEBERG_OF_SPARK),
    isExtra: true,
  },
  {
    ...madePeer('ebpf-exporter', '2.5.1+100', 'bin/ebpf_exporter', buildEbpfExporter, EBPF_EXPORTER_COMMIT),
    isExtra: true,
  },
  {
    ...madePeer('opentelemetry-suites', '2.10.0', 'packages', fetchOpenTelemetryJs, COMMIT),
    isExtra: true,
  },
];

/**
 * @param {{ name: string, version: string, target: string, program: string, tags?: string, module?: string }} build
 *   `module` is the folder of `go.mod`, by default the folder here with the name of the peer.
 * @returns {Peer}
 */
function builtPeer({ name, version, module, ...build }) {
  const make = (/** @type {string} */ sources, /** @type {string} */ folder) =>
    buildWithGo({ module: sources, ...build }, folder);
  return {
    ...madePeer(name, version, `bin/${build.program}`, make, JSON.stringify(build), module),
    isCompiled: true,
  };
}

/**
 * @param {string} name
 * @param {string} version
 * @param {string} [module] The folder of `package.json` and `package-lock.json`, by default the folder here with its name.
 * @returns {Peer}
 */
function npmPeer(name, version, module = join(import.meta.dirname, name)) {
  return {
    name,
    version,
    // A copy of the tools alone has no folder of the site.
    get folder() {
      return `${name}-${version}-${hashOf(module, MANIFESTS)}`;
    },
    program: 'node_modules',
    make: (folder) => installWithNpm(module, folder),
  };
}

/**
 * @param {string} name
 * @param {string} version
 * @param {string} program
 * @param {(module: string, folder: string) => void} make Makes the peer from `module`.
 * @param {string} [settings] Whatever else the peer depends on.
 * @param {string} [module] The folder of its sources, by default the folder here with its name.
 * @returns {Peer}
 */
function madePeer(name, version, program, make, settings = '', module = join(import.meta.dirname, name)) {
  return {
    name,
    version,
    folder: `${name}-${version}-${hashOf(module, readdirSync(module).sort(), settings)}`,
    program,
    make: (folder) => make(module, folder),
  };
}

/**
 * @param {string} module
 * @param {string} folder
 * @param {string} [requirements]
 */
function installSpark(module, folder, requirements) {
  run('java', ['-version'], { limitSeconds: 30 });
  const command = { script: 'spark_sql.py', program: 'spark-sql', isSource: true };
  installWithPip({ module, ...command, ...(requirements !== undefined && { requirements }) }, folder);
}

/**
 * @param {string} dir
 * @param {readonly string[]} files
 * @param {string} [text]
 */
function hashOf(dir, files, text = '') {
  const hash = createHash('sha256').update(text);
  for (const file of files) hash.update(file).update(readFileSync(join(dir, file)));
  return hash.digest('hex').slice(0, 8);
}

/**
 * @param {Peer} peer
 * @returns {string | undefined} The program of the peer; `undefined` where it is not installed.
 */
export function programOf({ folder, program }) {
  const file = join(peersFolder(), folder, program);
  return existsSync(file) ? file : undefined;
}

/**
 * @param {Peer} peer
 * @returns {string} Its program.
 * @throws {Error} with the reason, when the peer cannot be installed.
 */
export function installPeer(peer) {
  fillFolder(peer.folder, peer.make);
  const program = programOf(peer);
  if (program === undefined)
    throw new Error(`${peer.folder} has no ${peer.program}: delete the folder from the cache`);
  return program;
}
