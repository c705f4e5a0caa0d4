import { CEPH } from './ceph.ts';
import { CORE } from './core.ts';
import { EBPF } from './ebpf.ts';
import { HISTORY } from './history.ts';
import { INPUTS } from './inputs.ts';
import { INTERVAL_LOG } from './logs.ts';
import { PLOT } from './plot.ts';
import { REGISTRY } from './registry.ts';
import type { RightCalls } from './right-call.ts';
import { AGENT, DASHBOARD, OTEL, PROMETHEUS } from './servers.ts';

/** A right call of each public function. */
export const RIGHT_CALLS: RightCalls = {
  ...AGENT,
  ...CEPH,
  ...CORE,
  ...DASHBOARD,
  ...EBPF,
  ...HISTORY,
  ...INPUTS,
  ...INTERVAL_LOG,
  ...OTEL,
  ...PLOT,
  ...PROMETHEUS,
  ...REGISTRY,
};
