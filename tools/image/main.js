/**
 * Makes an image of the executable, as a folder that tools of containers read: `npm run image`. It needs no daemon, and two builds of one
 * state are equal to the byte.
 *
 * The image has Debian's packages that the executable needs, and no shell. `koffi` and libbpf are in it for maps and programs of the kernel.
 */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { makeExecutable } from '../executable/main.js';
import { readOptions, runTool } from '../lib/options.js';
import { isMain, workspaceRoot } from '../lib/workspace.js';
import { PEERS, programOf } from '../peers/peers.js';
import { run } from '../peers/run.js';
import { Layout } from './layout.js';
import { debianComponent, formatSbom, npmComponent } from './sbom.js';

/** A user without rights. Kubernetes looks at this number for `runAsNonRoot`. */
const USER = 65_532;

/** The folder that the agent may write to. */
const STATE = 'var/lib/hdrscope';

/**
 * Writes an image for the platform of this machine.
 *
 * @param {string} folder
 * @param {number} seconds The time of all files, since 1970.
 * @returns {Promise<{ digest: string, bytes: number }>} The digest of its manifest, and the size of its layers.
 */
export async function makeImage(folder, seconds) {
  const work = mkdtempSync(join(tmpdir(), 'hdrscope-image-'));
  try {
    const layout = new Layout(folder);
    const debian = unpackBase(join(work, 'base'));
    const { npm, version } = await installProgram(join(work, 'program'));
    const layers = [
      layout.addLayer(join(work, 'base'), { seconds }),
      layout.addLayer(join(work, 'program'), { seconds, owned: { path: STATE, user: USER } }),
    ];
    const labels = describeImage(version);
    const image = layout.addImage(describeConfig(labels, seconds), layers, labels);
    const program = npmComponent({ name: 'hdrscope', version, license: 'Apache-2.0' });
    const sbom = layout.addDocument(
      'application/vnd.cyclonedx+json',
      formatSbom(program, [...debian, ...npm]),
      image,
    );
    layout.finish([
      { ...image, annotations: { 'org.opencontainers.image.ref.name': version } },
      { ...sbom, annotations: { 'org.opencontainers.image.ref.name': `${version}.sbom` } },
    ]);
    return { digest: image.digest, bytes: layers.reduce((sum, { size }) => sum + size, 0) };
  } finally {
    rmSync(work, { recursive: true });
  }
}

/**
 * Unpacks Debian's packages, with the licence of each and its entry in the list that scanners read.
 *
 * @param {string} root
 */
function unpackBase(root) {
  const peer = PEERS.find(({ name }) => name === 'image-base');
  const archives = peer && programOf(peer);
  if (archives === undefined)
    throw new Error('the packages of Debian are not here: node tools/peers/install.js image-base');
  mkdirSync(join(root, 'var/lib/dpkg/status.d'), { recursive: true });
  const components = readdirSync(archives).map((file) => {
    const path = join(archives, file);
    run('dpkg-deb', ['--extract', path, root], LIMIT);
    const fields = run('dpkg-deb', ['--field', path], LIMIT);
    const read = (/** @type {string} */ field) => new RegExp(`^${field}: (.+)$`, 'm').exec(fields)?.[1] ?? '';
    writeFileSync(join(root, 'var/lib/dpkg/status.d', read('Package')), fields);
    return debianComponent({
      name: read('Package'),
      version: read('Version'),
      architecture: read('Architecture'),
    });
  });
  // Character sets, translations and notes that nothing here reads.
  for (const path of ['usr/share/lintian', 'usr/share/locale', 'usr/share/gdb', 'usr/share/gcc']) {
    rmSync(join(root, path), { recursive: true, force: true });
  }
  for (const libraries of readdirSync(join(root, 'usr/lib'))) {
    rmSync(join(root, 'usr/lib', libraries, 'gconv'), { recursive: true, force: true });
  }
  write(join(root, 'etc/passwd'), `hdrscope:x:${USER}:${USER}::/${STATE}:/sbin/nologin\n`);
  write(join(root, 'etc/group'), `hdrscope:x:${USER}:\n`);
  write(join(root, 'etc/nsswitch.conf'), 'hosts: files dns\n');
  // Where containers get their own.
  for (const path of ['proc', 'sys', 'dev', 'tmp', 'run', 'etc/hdrscope']) {
    mkdirSync(join(root, path), { recursive: true });
  }
  return components;
}

const LIMIT = { limitSeconds: 60 };

/** @param {string} root */
async function installProgram(root) {
  const prefix = join(root, 'usr/local');
  const { contained, node } = await makeExecutable(prefix);
  for (const name of ['man', 'bash-completion', 'zsh', 'fish'])
    rmSync(join(prefix, 'share', name), { recursive: true });
  // Without its sources, and the binaries of other platforms.
  const native = [`@koromix/koffi-linux-${process.arch}`];
  for (const name of ['koffi', ...native]) {
    const from = join(workspaceRoot, 'node_modules', name);
    cpSync(from, join(prefix, 'lib/node_modules', name), {
      recursive: true,
      filter: (path) =>
        !/\/koffi\/(?:doc|lib|vendor|src\/koffi\/src\/abi|cnoke\.cjs)$|\.(?:cc|hh|inc|S|asm|md)$/.test(path),
    });
  }
  mkdirSync(join(root, STATE), { recursive: true });
  const manifests = ['koffi', ...native].map((name) => join(workspaceRoot, 'node_modules', name));
  const { version } = readManifest(join(workspaceRoot, 'packages/cli'));
  return { version, npm: [...contained, ...[...manifests, node].map(readManifest)].map(npmComponent) };
}

/**
 * @param {string} folder
 * @returns {{ name: string, version: string, license?: string }}
 */
function readManifest(folder) {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}

/** @param {string} version */
function describeImage(version) {
  return {
    'org.opencontainers.image.title': 'hdrscope',
    'org.opencontainers.image.description': 'HDR histograms from anywhere to OpenTelemetry and Prometheus',
    'org.opencontainers.image.version': version,
    'org.opencontainers.image.licenses': 'Apache-2.0',
    'org.opencontainers.image.source': 'https://github.com/hdrscope/hdrscope',
  };
}

/**
 * @param {Record<string, string>} labels
 * @param {number} seconds
 */
function describeConfig(labels, seconds) {
  const second = 1_000_000_000;
  return {
    created: new Date(seconds * 1000).toISOString(),
    architecture: process.arch === 'x64' ? 'amd64' : process.arch,
    os: 'linux',
    config: {
      User: `${USER}:${USER}`,
      Env: ['PATH=/usr/local/bin'],
      Entrypoint: ['hdrscope'],
      Cmd: ['run', '/etc/hdrscope/hdrscope.yaml'],
      WorkingDir: `/${STATE}`,
      Volumes: { [`/${STATE}`]: {} },
      StopSignal: 'SIGTERM',
      Labels: labels,
      // The OCI has no health checks, but Docker and Podman read those of an image.
      Healthcheck: {
        Test: ['CMD', 'hdrscope', 'doctor', '--health', 'http://127.0.0.1:9466/healthz'],
        Interval: 30 * second,
        Timeout: 5 * second,
        StartPeriod: 30 * second,
        Retries: 3,
      },
    },
  };
}

/**
 * @param {string} file
 * @param {string} text
 */
function write(file, text) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

if (isMain(import.meta)) {
  await runTool(async () => {
    const { out, time } = readOptions('npm run image --', {
      out: { text: 'FOLDER', help: 'where the image is written', default: join(workspaceRoot, '.image') },
      time: {
        help: 'the time of all its files, in seconds since 1970',
        least: 0,
        isWhole: true,
        default: Number(process.env.SOURCE_DATE_EPOCH ?? 0),
      },
    });
    const { digest, bytes } = await makeImage(resolve(out), time);
    console.log(`${digest} in ${resolve(out)}, ${(bytes / 1e6).toFixed(1)} MB compressed`);
  });
}
