import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { readIntervals } from '@hdrscope/interval-log';
import {
  describeUnless,
  type Lack,
  lack,
  lackOfBuild,
  lackOfPeer,
  lackOfProgram,
  lackOfRoot,
  testUnless,
} from '@hdrscope/testing';
import { freePort } from '@hdrscope/testing/free-port';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const USER = 65_532;
const MOST_BYTES = 90e6;

interface Descriptor {
  readonly digest: string;
  readonly size: number;
  readonly artifactType?: string;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** runc cannot start containers here, as within some others. `undefined` where it can. */
function lackOfContainers(): Lack | undefined {
  const missing = lackOfProgram('runc') ?? lackOfProgram('umoci') ?? lackOfRoot();
  if (missing !== undefined) return missing;
  const { status } = spawnSync('unshare', ['--mount', '--pid', '--fork', 'true']);
  return lack('runc', status === 0 ? undefined : 'this process may not make namespaces');
}

const inContainer = testUnless(lackOfContainers());

describeUnless(
  lackOfPeer('node-26'),
  lackOfPeer('image-base'),
  lackOfProgram('strip'),
  lackOfBuild('dashboard', 'dist/browser'),
)('the image', () => {
  let folder: string;
  let layout: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'hdrscope-image-'));
    layout = join(folder, 'image');
    make(layout);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  function make(out: string): string {
    return execFileSync('npm', ['run', '--silent', 'image', '--', '--out', out], {
      cwd: ROOT,
      encoding: 'utf8',
    });
  }

  function read<T>(digest: string): T {
    return JSON.parse(readFileSync(join(layout, 'blobs', digest.replace(':', '/')), 'utf8'));
  }

  function manifests(): readonly Descriptor[] {
    return JSON.parse(readFileSync(join(layout, 'index.json'), 'utf8')).manifests;
  }

  function readImage() {
    const manifest = read<{ config: Descriptor; layers: Descriptor[] }>(manifests()[0]!.digest);
    const { config } = read<{ config: Record<string, unknown> }>(manifest.config.digest);
    return { layers: manifest.layers, config };
  }

  test('has at most 90 MB, another user than root, labels and a health check', () => {
    const { layers, config } = readImage();
    expect(layers.reduce((sum, { size }) => sum + size, 0)).toBeLessThan(MOST_BYTES);
    expect(config).toMatchObject({
      User: `${USER}:${USER}`,
      StopSignal: 'SIGTERM',
      Labels: { 'org.opencontainers.image.licenses': 'Apache-2.0' },
      Healthcheck: { Test: ['CMD', 'hdrscope', 'doctor', '--health', expect.any(String)] },
    });
  });

  test('has a bill of its materials: packages of npm and of Debian', () => {
    const document = manifests().find(
      ({ artifactType }) => artifactType === 'application/vnd.cyclonedx+json',
    )!;
    const { subject, layers } = read<{ subject: Descriptor; layers: Descriptor[] }>(document.digest);
    expect(subject.digest).toBe(manifests()[0]!.digest);
    const { components } = read<{ components: { purl: string }[] }>(layers[0]!.digest);
    const purls = components.map(({ purl }) => purl.replace(/@[^@]*$/, ''));
    for (const one of ['deb/debian/libc6', 'npm/commander', 'npm/koffi', `npm/node-linux-${process.arch}`]) {
      expect(purls).toContain(`pkg:${one}`);
    }
  });

  test('two builds are equal', () => {
    make(join(folder, 'again'));
    expect(readFileSync(join(folder, 'again/index.json'), 'utf8')).toBe(
      readFileSync(join(layout, 'index.json'), 'utf8'),
    );
  });

  testUnless(lackOfProgram('skopeo'))('is read by tools of containers', () => {
    const { status, stderr } = spawnSync('skopeo', ['inspect', `oci:${layout}:1.0.0`], { encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });

  // Containers.

  const bundles: string[] = [];
  afterEach(() => {
    for (const bundle of bundles.splice(0)) {
      spawnSync('runc', ['delete', '--force', nameOf(bundle)]);
      rmSync(bundle, { recursive: true });
    }
  });

  const nameOf = (bundle: string): string => bundle.slice(bundle.lastIndexOf('/') + 1);

  /** Unpacks the image for a container without any right, with a read-only root and the network of this machine. */
  function unpack(configuration: string): string {
    const bundle = mkdtempSync(join(tmpdir(), 'hdrscope-container-'));
    bundles.push(bundle);
    execFileSync('umoci', ['unpack', '--image', `${layout}:1.0.0`, bundle], { stdio: 'pipe' });
    const state = join(bundle, 'state');
    mkdirSync(state);
    chownSync(state, USER, USER);
    writeFileSync(join(bundle, 'hdrscope.yaml'), configuration);
    const file = join(bundle, 'config.json');
    const spec = JSON.parse(readFileSync(file, 'utf8'));
    const bind = (source: string, destination: string, mode: string) => ({
      ...{ type: 'bind', source: join(bundle, source), destination, options: ['rbind', mode] },
    });
    spec.root.readonly = true;
    spec.process.terminal = false;
    spec.process.capabilities = {};
    spec.linux.namespaces = spec.linux.namespaces.filter(({ type }: { type: string }) => type !== 'network');
    // The volume of the image, and the control groups, which not every machine has.
    const left = ['/var/lib/hdrscope', '/sys/fs/cgroup'];
    spec.mounts = [
      ...spec.mounts.filter(({ destination }: { destination: string }) => !left.includes(destination)),
      bind('state', '/var/lib/hdrscope', 'rw'),
      bind('hdrscope.yaml', '/etc/hdrscope/hdrscope.yaml', 'ro'),
    ];
    writeFileSync(file, JSON.stringify(spec));
    return bundle;
  }

  function start(bundle: string): ChildProcess {
    return spawn('runc', ['run', '--bundle', bundle, nameOf(bundle)]);
  }

  function exec(bundle: string, ...command: string[]) {
    const { status, stdout, stderr } = spawnSync('runc', ['exec', nameOf(bundle), ...command], {
      encoding: 'utf8',
    });
    return { status, output: stdout + stderr };
  }

  async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
    const endMs = Date.now() + 30_000;
    while (!(await isSo())) {
      if (Date.now() > endMs) throw new Error('the condition never held');
      await sleep(50);
    }
  }

  inContainer(
    'runs an agent without any right, which can be asked, and ends without losing a value',
    async () => {
      const [metrics, health] = [await freePort(), await freePort()];
      const bundle = unpack(`sources: [{ type: stdin, metric: { name: job, unit: ms } }]
sinks:
  - { type: prometheus, listen: '127.0.0.1:${metrics}' }
  - { type: health, listen: '127.0.0.1:${health}' }
  - { type: interval-log, path: all.hlog, interval: 1h }
`);
      const container = start(bundle);
      let log = '';
      container.stderr!.setEncoding('utf8').on('data', (text: string) => {
        log += text;
      });
      container.stdin!.write('12 7\n');
      await until(async () => {
        if (container.exitCode !== null) throw new Error(log);
        const page = await fetch(`http://127.0.0.1:${metrics}/metrics`).then(
          (answer) => answer.text(),
          () => '',
        );
        return page.includes('job_milliseconds_count 2') || page.includes('job_seconds_count 2');
      });
      const { pid } = JSON.parse(execFileSync('runc', ['state', nameOf(bundle)], { encoding: 'utf8' }));
      const status = readFileSync(`/proc/${pid}/status`, 'utf8');
      expect(status).toMatch(new RegExp(`^Uid:\\s+${USER}\\s+${USER}\\s+${USER}\\s+${USER}$`, 'm'));
      expect(status).toMatch(/^CapEff:\s+0+$/m);
      expect(status).toMatch(/^NoNewPrivs:\s+1$/m);

      // The first is the mount of the root.
      expect(readFileSync(`/proc/${pid}/mountinfo`, 'utf8')).toMatch(/^\d+ \d+ \S+ \S+ \/ ro,/);

      const check = ['hdrscope', 'doctor', '--health'];
      expect(exec(bundle, ...check, `http://127.0.0.1:${health}/healthz`)).toMatchObject({ status: 0 });
      expect(exec(bundle, ...check, 'http://127.0.0.1:1/healthz')).toMatchObject({ status: 1 });
      // What reading the kernel takes is there, but for the rights.
      expect(exec(bundle, 'hdrscope', 'ebpf', 'doctor').output).toMatch(/^ok +koffi[\s\S]*^ok +libbpf/m);
      const written = exec(bundle, 'hdrscope', 'config', 'init', '/usr/local/hdrscope.yaml');
      expect(written).toMatchObject({ status: 1, output: expect.stringContaining('nothing can be written') });

      container.stdin!.write('30\n');
      await sleep(200);
      const ended = once(container, 'exit');
      execFileSync('runc', ['kill', nameOf(bundle), 'TERM']);
      expect(await ended).toEqual([0, null]);
      let count = 0;
      for await (const interval of readIntervals(join(bundle, 'state/all.hlog'))) {
        if (interval.tag === 'job') count += interval.histogram().totalCount;
      }
      expect(count).toBe(3);
      expect(readdirSync(join(bundle, 'state'))).toEqual(['all.hlog']);
    },
  );

  inContainer('refuses a configuration with the line of the problem', async () => {
    const bundle = unpack('sources: [{ type: standard }]\nsinks: []\n');
    const container = start(bundle);
    let log = '';
    container.stderr!.setEncoding('utf8').on('data', (text: string) => {
      log += text;
    });
    expect(await once(container, 'close')).toEqual([1, null]);
    expect(log).toMatch(/\/etc\/hdrscope\/hdrscope\.yaml:1:/);
  });
});
