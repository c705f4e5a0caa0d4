import { daemonsAt, parseHistogramSchema } from '@hdrscope/ceph';
import type { Finding } from '@hdrscope/ebpf';
import { countText } from '../../format.ts';
import { amiss, type Cures, failed, well } from './finding.ts';

/** Asks the daemons behind a socket, or behind the sockets in a folder, for their histograms. */
export async function examineCeph(path: string, signal: AbortSignal): Promise<Finding[]> {
  try {
    const daemons = await daemonsAt(path);
    if (daemons.length === 0) {
      const cure =
        'name the folder of the sockets, as in --ceph /var/run/ceph; those of cephadm lie below it';
      return [amiss('sockets', `${path} has no file whose name ends with .asok`, cure)];
    }
    const findings: Finding[] = [];
    for (const { name, ask } of daemons) {
      signal.throwIfAborted();
      try {
        const described = parseHistogramSchema(await ask('perf histogram schema', {}));
        findings.push(
          described.length > 0
            ? well(name, countText(described.length, 'histogram'))
            : amiss(name, 'it has no histograms', "among Ceph's daemons, OSDs have some"),
        );
      } catch (error) {
        findings.push(failed(name, error, CURES));
      }
    }
    return findings;
  } catch (error) {
    signal.throwIfAborted();
    return [failed('sockets', error, CURES)];
  }
}

const CURES: Cures = [
  [/may not connect|EACCES|permission/i, 'ask as root or as the user of the daemon: sudo -u ceph'],
  [/ECONNREFUSED/, 'start the daemon, which makes its socket anew'],
  [/ENOENT|no such file/i, 'name a socket or a folder of this machine, as in --ceph /var/run/ceph'],
];
