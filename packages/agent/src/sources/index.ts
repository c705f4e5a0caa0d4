import { byType, type SourcePart } from '../part.ts';
import { bpftrace } from './bpftrace.ts';
import { ceph } from './ceph.ts';
import { ebpfExporter } from './ebpf-exporter.ts';
import { ebpfMap } from './ebpf-map.ts';
import { ebpfMaps } from './ebpf-maps.ts';
import { ebpfProgram } from './ebpf-program.ts';
import { intervalLog } from './interval-log.ts';
import { otlp } from './otlp.ts';
import { pipe } from './pipe.ts';
import { prometheus } from './prometheus.ts';
import { remoteWriteReceiver } from './remote-write.ts';
import { statsd } from './statsd.ts';
import { stdin } from './stdin.ts';

/** All sources by their types, in the order of the configuration that `hdrscope config init` writes. */
export const SOURCES: ReadonlyMap<string, SourcePart> = byType([
  stdin,
  pipe,
  intervalLog,
  ceph,
  ebpfMap,
  ebpfMaps,
  ebpfExporter,
  ebpfProgram,
  bpftrace,
  otlp,
  prometheus,
  remoteWriteReceiver,
  statsd,
]);
