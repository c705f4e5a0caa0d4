import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { registryReplies, serveAdminSocket } from '@hdrscope/ceph';
import { createRegistry } from '@hdrscope/registry';
import { describeWithPeers, programOf } from '@hdrscope/testing';
import { createFolder, startPeer, stopPeers, waitFor } from './support/peer-process.ts';

// collectd reads Ceph's daemons by a plugin, and reads this process like a daemon.

afterEach(stopPeers);

/** A configuration that reads a socket ten times a second and prints the values. */
function configOf(folder: string, path: string): string {
  const installed = join(dirname(programOf('collectd')), '../usr');
  return `
BaseDir "${folder}"
PIDFile "${join(folder, 'pid')}"
PluginDir "${join(installed, 'lib/collectd')}"
TypesDB "${join(installed, 'share/collectd/types.db')}"
Hostname "here"
FQDNLookup false
Interval 0.1
LoadPlugin csv
LoadPlugin ceph
<Plugin csv>
  DataDir "stdout"
</Plugin>
<Plugin ceph>
  <Daemon "shop">
    SocketPath "${path}"
  </Daemon>
</Plugin>
`;
}

describeWithPeers(['collectd'])('collectd', () => {
  test('reads percentiles and means like those of a daemon', async () => {
    const registry = createRegistry();
    const durations = registry
      .histogram({ name: 'request.duration', unit: 's', significantDigits: 3 })
      .with({});
    const record = (): void => {
      for (let ms = 1; ms <= 100; ms++) durations.record(ms / 1000);
    };
    record();
    const folder = await createFolder();
    const server = await serveAdminSocket({ path: join(folder, 'shop.asok'), ...registryReplies(registry) });
    const config = join(folder, 'collectd.conf');
    writeFileSync(config, configOf(folder, server.path));
    try {
      const collectd = await startPeer(programOf('collectd'), ['-f', '-C', config], {
        folder,
        isReady: (output) => output.includes('PUTVAL'),
      });
      const latestOf = (name: string): number | undefined => {
        const values = [...collectd.output().matchAll(/^PUTVAL "?here\/ceph-shop\/(\S+?)"? .*:(\S+)$/gm)];
        const found = values.filter(([, id, value]) => id!.endsWith(name) && value !== 'nan').at(-1);
        return found && Number(found[2]);
      };
      const read = (name: string): Promise<number> => waitFor(() => latestOf(name), { what: name });

      expect(await read('request.durationP50')).toBeCloseTo(0.05, 3);
      expect(await read('request.durationP99')).toBeCloseTo(0.099, 3);
      expect(await read('request.durationMax')).toBeCloseTo(0.1, 6);
      // A mean covers the values since the previous reading.
      record();
      expect(await read('request.duration')).toBeCloseTo(0.0505, 6);
    } finally {
      await server.close();
    }
  });
});
