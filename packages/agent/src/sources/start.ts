import type { SourceConfig } from '../config/types.ts';
import type { EntryContext, Running } from '../entry.ts';
import { startBpftrace } from './bpftrace.ts';
import { startCeph } from './ceph.ts';
import { startEbpfExporter } from './ebpf-exporter.ts';
import { startEbpfMap } from './ebpf-map.ts';
import { startEbpfProgram } from './ebpf-program.ts';
import { startIntervalLog } from './interval-log.ts';
import { startOtlp } from './otlp.ts';
import { startPipe } from './pipe.ts';
import { startStdin } from './stdin.ts';

/** Starts a source of any type. */
export async function startSource(config: SourceConfig, context: EntryContext): Promise<Running> {
  switch (config.type) {
    case 'interval-log':
      return startIntervalLog(config, context);
    case 'stdin':
      return startStdin(config, context);
    case 'pipe':
      return startPipe(config, context);
    case 'ceph':
      return startCeph(config, context);
    case 'ebpf-map':
      return startEbpfMap(config, context);
    case 'ebpf-exporter':
      return startEbpfExporter(config, context);
    case 'ebpf-program':
      return startEbpfProgram(config, context);
    case 'bpftrace':
      return startBpftrace(config, context);
    case 'otlp':
      return startOtlp(config, context);
  }
}
