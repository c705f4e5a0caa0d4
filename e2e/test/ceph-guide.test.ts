import { type CephCluster, describeWithCephCluster, startCephCluster } from './support/ceph-cluster.ts';
import { stopPeers } from './support/peer-process.ts';
import { describeTyping } from './support/typed-document.ts';

// What the guide shows of a machine with OSDs is typed beside a monitor and two OSDs of Ceph, which are written to and read.

describeWithCephCluster('beside a cluster of Ceph', () => {
  let cluster: CephCluster;

  beforeAll(async () => {
    cluster = await startCephCluster({ isSecondIdle: false, areSocketsTogether: true });
    await cluster.rados('bench', '1', 'write', '-b', '4096', '-t', '4', '--no-cleanup');
    await cluster.rados('bench', '1', 'seq', '-t', '4');
  });

  afterAll(stopPeers);

  describeTyping('docs/guides/ceph-in-prometheus.md', () => cluster.sockets);
});
