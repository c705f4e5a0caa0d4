import { readdir, readFile } from 'node:fs/promises';
import { type EventLoopUtilization, performance } from 'node:perf_hooks';
import { getHeapSpaceStatistics } from 'node:v8';
import type { Labels, Metric, MetricFamily } from './families.ts';
import { numberFamilies } from './number-families.ts';

const startMs = Date.now() - process.uptime() * 1000;
const { counter, gauge } = numberFamilies(startMs);

/** The resources that the process uses, under the names of Prometheus's client libraries. */
export async function processFamilies(): Promise<MetricFamily[]> {
  return [
    ...cpuAndTime(),
    version(),
    ...memory(),
    ...heapSpaces(),
    activeResources(),
    ...(await linuxFamilies()),
  ];
}

/**
 * How busy the event loop is.
 *
 * @param recent Its utilization in the last seconds.
 */
export function eventLoopFamilies(recent: EventLoopUtilization): MetricFamily[] {
  const { active, idle } = performance.eventLoopUtilization();
  return [
    counter('nodejs_eventloop_time_seconds', 'Time the event loop was in each state.', 's', {
      label: 'nodejs_eventloop_state',
      values: { active: active / 1000, idle: idle / 1000 },
    }),
    gauge(
      'nodejs_eventloop_utilization',
      'Share of the last seconds that the event loop was active.',
      '',
      recent.utilization,
    ),
  ];
}

function cpuAndTime(): MetricFamily[] {
  const { user, system } = process.cpuUsage();
  return [
    counter('process_cpu_user_seconds', 'User CPU time spent.', 's', user / 1e6),
    counter('process_cpu_system_seconds', 'System CPU time spent.', 's', system / 1e6),
    counter('process_cpu_seconds', 'User and system CPU time spent.', 's', (user + system) / 1e6),
    gauge('process_start_time_seconds', 'Start of the process, in seconds since 1970.', 's', startMs / 1000),
    gauge('process_uptime_seconds', 'Time since the process was started.', 's', process.uptime()),
  ];
}

function version(): MetricFamily {
  const [major = '', minor = '', patch = ''] = process.version.slice(1).split('.');
  const labels: Labels = [
    ['version', process.version],
    ['major', major],
    ['minor', minor],
    ['patch', patch],
  ];
  const metrics: Metric[] = [{ labels, value: { kind: 'number', value: 1 } }];
  return { name: 'nodejs_version', help: 'Version of Node.js.', unit: '', type: 'info', metrics };
}

function memory(): MetricFamily[] {
  const { rss, heapTotal, heapUsed, external, arrayBuffers } = process.memoryUsage();
  return [
    gauge('process_resident_memory_bytes', 'Resident memory.', 'By', rss),
    gauge('nodejs_heap_size_total_bytes', 'Size of the heap.', 'By', heapTotal),
    gauge('nodejs_heap_size_used_bytes', 'Part of the heap that is in use.', 'By', heapUsed),
    gauge('nodejs_external_memory_bytes', 'Memory of C++ objects bound to JavaScript ones.', 'By', external),
    gauge('nodejs_array_buffers_bytes', 'Memory of array buffers, a part of the former.', 'By', arrayBuffers),
  ];
}

function heapSpaces(): MetricFamily[] {
  const spaces = getHeapSpaceStatistics();
  const bySpace = (pick: (space: (typeof spaces)[number]) => number) => ({
    label: 'space',
    // As prom-client names them: `new`, not `new_space`.
    values: Object.fromEntries(spaces.map((one) => [one.space_name.replace(/_space$/, ''), pick(one)])),
  });
  return [
    gauge(
      'nodejs_heap_space_size_total_bytes',
      'Size of a space of the heap.',
      'By',
      bySpace((space) => space.space_size),
    ),
    gauge(
      'nodejs_heap_space_size_used_bytes',
      'Part of a space of the heap that is in use.',
      'By',
      bySpace((space) => space.space_used_size),
    ),
    gauge(
      'nodejs_heap_space_size_available_bytes',
      'Part of a space of the heap that is free.',
      'By',
      bySpace((space) => space.space_available_size),
    ),
  ];
}

function activeResources(): MetricFamily {
  const values: Record<string, number> = {};
  for (const type of process.getActiveResourcesInfo()) values[type] = (values[type] ?? 0) + 1;
  const help = 'Resources that keep the event loop alive.';
  return gauge('nodejs_active_resources', help, '', { label: 'type', values });
}

/** The families that only Linux has. Files that cannot be read yield no families. */
async function linuxFamilies(): Promise<MetricFamily[]> {
  if (process.platform !== 'linux') return [];
  // Runs first and alone: otherwise the descriptors of the other files would count.
  const descriptors = await readdir('/proc/self/fd').catch(() => undefined);
  const [limits, status] = await Promise.all([
    readFile('/proc/self/limits', 'utf8').catch(() => ''),
    readFile('/proc/self/status', 'utf8').catch(() => ''),
  ]);
  const families: MetricFamily[] = [];
  if (descriptors !== undefined) {
    // Less the descriptor through which the folder itself was read.
    const open = descriptors.length - 1;
    families.push(gauge('process_open_fds', 'Open file descriptors.', '', open));
  }
  const mostDescriptors = /^Max open files +(\d+)/m.exec(limits)?.[1];
  if (mostDescriptors !== undefined) {
    families.push(
      gauge('process_max_fds', 'File descriptors that may be open.', '', Number(mostDescriptors)),
    );
  }
  for (const [name, help, size] of SIZES) {
    const kib = size.exec(status)?.[1];
    if (kib !== undefined) families.push(gauge(name, help, 'By', Number(kib) * 1024));
  }
  return families;
}

/** Sizes in `/proc/self/status`. */
const SIZES: readonly (readonly [name: string, help: string, size: RegExp])[] = [
  ['process_virtual_memory_bytes', 'Virtual memory.', /^VmSize:\s+(\d+) kB$/m],
  ['process_heap_bytes', 'Memory of data, also outside the heap of JavaScript.', /^VmData:\s+(\d+) kB$/m],
];
