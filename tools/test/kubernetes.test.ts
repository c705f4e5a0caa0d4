import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeWithPeers, lackOfBuild, programOf, testUnless } from '@hdrscope/testing';
import { parse, parseAllDocuments } from 'yaml';
import { workspaceRoot } from '../lib/workspace.js';

const BIN = join(workspaceRoot, 'packages/cli/bin/hdrscope.js');
const FOLDER = join(workspaceRoot, 'examples/kubernetes');
const FILES = readdirSync(FOLDER).filter((name) => name.endsWith('.yaml'));

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> };
  // biome-ignore lint/suspicious/noExplicitAny: each kind has fields of its own, which the peer checks.
  readonly [field: string]: any;
}

function readManifests(name: string): readonly Manifest[] {
  const documents = parseAllDocuments(readFileSync(join(FOLDER, name), 'utf8'));
  return documents.map((document) => document.toJS());
}

describe.each(FILES)('examples/kubernetes/%s', (name) => {
  const manifests = readManifests(name);
  const find = (...kinds: string[]): Manifest => manifests.find(({ kind }) => kinds.includes(kind))!;
  const configuration: string = find('ConfigMap').data['hdrscope.yaml'];
  const workload = find('DaemonSet', 'Deployment');
  const pod = workload.spec.template;
  const [container] = pod.spec.containers;

  testUnless(lackOfBuild('cli'))('has a configuration that the command accepts', () => {
    const folder = mkdtempSync(join(tmpdir(), 'hdrscope-kubernetes-'));
    const file = join(folder, 'hdrscope.yaml');
    writeFileSync(file, configuration);
    const { status, stderr } = spawnSync(process.execPath, [BIN, 'config', 'check', file], {
      encoding: 'utf8',
    });
    rmSync(folder, { recursive: true });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });

  test('opens the ports on which the configuration listens', () => {
    const { sources, sinks } = parse(configuration);
    const listening = [...sources, ...sinks].map(({ listen, address }) => listen ?? address).filter(Boolean);
    const ports = container.ports.map(
      ({ containerPort }: { containerPort: number }) => `0.0.0.0:${containerPort}`,
    );
    expect(ports).toEqual(listening);
    // The probes name the port of the sink health.
    const healthAt = ports[container.ports.findIndex((port: { name: string }) => port.name === 'health')];
    expect(sinks.find(({ type }: { type: string }) => type === 'health').listen).toBe(healthAt);
    for (const probe of [container.livenessProbe, container.readinessProbe]) {
      expect(probe.httpGet).toEqual({ path: '/healthz', port: 'health' });
    }
  });

  test('runs without any right, on a read-only root, as the user of the image', () => {
    const image = readFileSync(join(workspaceRoot, 'tools/image/main.js'), 'utf8');
    const [, user = ''] = /^const USER = ([\d_]+);$/m.exec(image) ?? [];
    expect(pod.spec.securityContext).toMatchObject({
      runAsNonRoot: true,
      runAsUser: Number(user.replace('_', '')),
    });
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    expect(container.resources.limits.memory).toBeDefined();
  });

  test('selects its own pods, and mounts what it has', () => {
    expect(workload.spec.selector.matchLabels).toEqual(pod.metadata.labels);
    const volumes = pod.spec.volumes.map((volume: { name: string }) => volume.name);
    expect(container.volumeMounts.map((mount: { name: string }) => mount.name)).toEqual(volumes);
    const names = manifests.map(({ metadata }) => metadata.name);
    for (const { configMap, persistentVolumeClaim } of pod.spec.volumes) {
      expect(names).toContain(configMap?.name ?? persistentVolumeClaim.claimName);
    }
  });
});

test('the agents send to the service of the gateway', () => {
  const [agent] = readManifests('agent.yaml');
  const service = readManifests('gateway.yaml').find(({ kind }) => kind === 'Service')!;
  const { sinks } = parse(agent!.data['hdrscope.yaml']);
  const { hostname, port } = new URL(sinks[0].url);
  expect(hostname).toBe(service.metadata.name);
  expect(service.spec.ports.map((one: { port: number }) => one.port)).toContain(Number(port));
});

describeWithPeers(['kubernetes'])('with the types of Kubernetes', () => {
  const decode = (manifests: readonly unknown[]) => {
    const input = manifests.map((manifest) => `${JSON.stringify(manifest)}\n`).join('');
    const { status, stdout } = spawnSync(programOf('kubernetes'), { input, encoding: 'utf8' });
    return { status, lines: stdout.trim().split('\n') };
  };

  test.each(FILES)('%s has no field that its kinds do not have', (name) => {
    const manifests = readManifests(name);
    expect(decode(manifests)).toEqual({ status: 0, lines: manifests.map(({ kind }) => kind) });
  });

  test('a misspelt field is found', () => {
    const [, daemonSet] = readManifests('agent.yaml');
    const spec = { ...daemonSet!.spec, selektor: {} };
    expect(decode([{ ...daemonSet, spec }])).toEqual({
      status: 1,
      lines: [expect.stringContaining('selektor')],
    });
  });
});
