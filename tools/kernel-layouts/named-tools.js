/**
 * Programs of other projects that keep histograms in maps, with the slots that their sources state. Each layout was read from the
 * arithmetic of the source at the commit: the function of the slot, the slot that takes all larger values, and the unit.
 */

/**
 * @typedef {object} Slots
 * @property {string} layout A text for `parseKernelLayout`.
 * @property {number} [divisor] What the program divides values by. The default is 1.
 * @property {number} [sum] The slot in which it sums up the values. By default it has no sum.
 */

/**
 * @typedef {object} NamedProgram
 * @property {string} name
 * @property {string} source Path of its C, from the root of the project.
 * @property {Readonly<Record<string, Slots>>} maps What its maps hold, by name. Other maps hold no histogram.
 * @property {Readonly<Record<string, string>>} [constants] Constants that the tool sets before it loads the program, in C.
 * @property {readonly (readonly [from: string, to: string])[]} [edits] Other texts that are replaced in the source.
 * @property {Readonly<Record<string, number>>} [maxEntries] As the tool sets them.
 * @property {readonly string[]} [flags] Of the compiler, in addition to those of the project.
 * @property {RegExp} [without] Programs that the tool leaves out, by their sections.
 */

/**
 * @typedef {object} Project
 * @property {string} name
 * @property {string} repository Folder of its git repository in the folder of all.
 * @property {string} version
 * @property {string} commit
 * @property {readonly string[]} paths What is taken out of the repository.
 * @property {readonly string[]} flags Of the compiler, as in its Makefile; `-I` from the root of the project.
 * @property {readonly NamedProgram[]} programs
 */

/** @param {string} layout @param {number} [divisor] @returns {Slots} */
const slots = (layout, divisor = 1) => ({ layout, divisor });

/** @param {string} name @param {Omit<NamedProgram, 'name' | 'source'>} program @returns {NamedProgram} */
const libbpfTool = (name, program) => ({ name, source: `libbpf-tools/${name}.bpf.c`, ...program });

/** Programs that count in microseconds, and in milliseconds where a constant says so. */
const inTwoUnits = (
  /** @type {string} */ name,
  /** @type {string} */ constant,
  /** @type {(divisor: number) => Omit<NamedProgram, 'name' | 'source' | 'constants'>} */ program,
) => [
  libbpfTool(name, program(1000)),
  libbpfTool(name, { ...program(1_000_000), constants: { [constant]: 'true' } }),
];

const FENTRY = /^(?:fentry|fexit)\//;
const DUMMY = /^(?:fentry|fexit)\/dummy|^kprobe.nothing/;

/** A kernel without `fentry` takes these programs as raw tracepoints: they use their arguments as keys only. */
const AS_RAW = [
  /** @type {const} */ (['SEC("fentry/', 'SEC("raw_tp/']),
  /** @type {const} */ (['SEC("fexit/', 'SEC("raw_tp/']),
];

/** @type {readonly NamedProgram[]} */
const LIBBPF_TOOLS = [
  ...inTwoUnits('biolatency', 'targ_ms', (unit) => ({ maps: { hists: slots('libbpf-tools:27', unit) } })),
  libbpfTool('biolatency', {
    constants: { targ_per_disk: 'true', targ_per_flag: 'true' },
    maps: { hists: slots('libbpf-tools:27', 1000) },
  }),
  ...inTwoUnits('biostacks', 'targ_ms', (unit) => ({
    without: FENTRY,
    maps: { hists: slots('libbpf-tools:20', unit) },
  })),
  libbpfTool('bitesize', { maps: { hists: slots('libbpf-tools:20', 1024) } }),
  libbpfTool('bitesize', {
    constants: { 'targ_comm[TASK_COMM_LEN]': '"fio"', filter_dev: 'true', targ_dev: '8' },
    maps: { hists: slots('libbpf-tools:20', 1024) },
  }),
  ...inTwoUnits('cpudist', 'targ_ms', (unit) => ({
    maxEntries: { start: 32_768, hists: 1 },
    maps: { hists: slots('libbpf-tools:36', unit) },
  })),
  libbpfTool('cpudist', {
    constants: { targ_offcpu: 'true', targ_per_process: 'true', targ_tgid: '42' },
    maxEntries: { start: 32_768, hists: 32_768 },
    maps: { hists: slots('libbpf-tools:36', 1000) },
  }),
  libbpfTool('cpufreq', {
    maps: { hists: slots(equalSteps(200, 25)), '.bss': slots(equalSteps(200, 25)) },
  }),
  ...inTwoUnits('fsdist', 'in_ms', (unit) => ({
    without: FENTRY,
    maps: { '.bss': slots('libbpf-tools:32', unit) },
  })),
  ...[1, 1000, 1_000_000].map((divisor, units) =>
    libbpfTool('funclatency', {
      constants: { units: String(units) },
      without: DUMMY,
      maps: { '.bss': slots('libbpf-tools:25', divisor) },
    }),
  ),
  ...inTwoUnits('futexctn', 'targ_ms', (unit) => ({
    edits: [
      ['__uint(key_size, sizeof(u32));', '__uint(key_size, sizeof(u32)); __uint(value_size, 127 * 8);'],
    ],
    maxEntries: { stackmap: 1024 },
    maps: { hists: slots('libbpf-tools:36', unit) },
  })),
  libbpfTool('hardirqs', { maps: {} }),
  libbpfTool('hardirqs', {
    constants: { targ_dist: 'true' },
    maps: { infos: slots('libbpf-tools:20', 1000) },
  }),
  libbpfTool('hardirqs', {
    constants: { targ_dist: 'true', targ_ns: 'true', cpu: 'true' },
    maps: { infos: slots('libbpf-tools:20') },
  }),
  libbpfTool('readahead', { edits: AS_RAW, maps: { '.bss': slots('libbpf-tools:20', 1_000_000) } }),
  ...inTwoUnits('runqlat', 'targ_ms', (unit) => ({ maps: { hists: slots('libbpf-tools:26', unit) } })),
  libbpfTool('runqlat', {
    constants: { targ_per_pidns: 'true' },
    maps: { hists: slots('libbpf-tools:26', 1000) },
  }),
  // The length without the running task: 0 and 1 are one slot.
  libbpfTool('runqlen', { maps: { '.bss': slots(Array.from({ length: 31 }, (_, i) => i + 1).join(',')) } }),
  libbpfTool('runqlen', {
    constants: { targ_per_cpu: 'true', targ_host: 'true' },
    maps: { '.bss': slots(Array.from({ length: 31 }, (_, i) => i + 1).join(',')) },
  }),
  libbpfTool('softirqs', { flags: ['-mcpu=v3'], maps: {} }),
  libbpfTool('softirqs', {
    flags: ['-mcpu=v3'],
    constants: { targ_dist: 'true' },
    maps: { '.bss': slots('libbpf-tools:20', 1000) },
  }),
  libbpfTool('softirqs', {
    flags: ['-mcpu=v3'],
    constants: { targ_dist: 'true', targ_ns: 'true' },
    maps: { '.bss': slots('libbpf-tools:20') },
  }),
  // The kernel keeps eighths of a microsecond.
  libbpfTool('tcprtt', { without: FENTRY, maps: { hists: slots('libbpf-tools:27', 8) } }),
  libbpfTool('tcprtt', {
    constants: { targ_ms: 'true', targ_show_ext: 'true', targ_raddr_hist: 'true' },
    without: FENTRY,
    // Of 27 slots, an integer of 32 bits comes to the first 20.
    maps: { hists: slots('libbpf-tools:20', 8000) },
  }),
  libbpfTool('tcpsynbl', { without: FENTRY, maps: { hists: slots('libbpf-tools:32') } }),
];

/** @param {number} step @param {number} count */
function equalSteps(step, count) {
  return Array.from({ length: count }, (_, i) => step * (i + 1) - 1).join(',');
}

/** @param {string} name @param {NamedProgram['maps']} maps @param {NamedProgram['edits']} edits @returns {NamedProgram} */
const exporterExample = (name, maps, edits = []) => ({ name, source: `examples/${name}.bpf.c`, edits, maps });

/**
 * The examples of ebpf_exporter. Before version 2.5, powers of two were rounded down.
 *
 * @param {'exporter-exp2' | 'libbpf-tools'} kind
 * @returns {readonly NamedProgram[]}
 */
function exporterExamples(kind) {
  const powers = (/** @type {number} */ max, /** @type {number} */ divisor) => ({
    layout: kind === 'exporter-exp2' ? `exporter-exp2:${max}` : `libbpf-tools:${max + 1}`,
    divisor,
  });
  /**
   * @param {string} name @param {Readonly<Record<string, readonly [max: number, divisor: number]>>} maps
   * @param {NamedProgram['edits']} edits
   */
  const example = (name, maps, edits = []) =>
    exporterExample(
      name,
      Object.fromEntries(
        Object.entries(maps).map(([map, [max, divisor]]) => [map, { ...powers(max, divisor), sum: max + 1 }]),
      ),
      edits,
    );
  return [
    example('accept-latency', { accept_latency_seconds: [26, 1000] }),
    example('biolatency', { bio_latency_seconds: [27, 1000] }),
    example('cfs-throttling', { cfs_throttling_seconds: [20, 1000] }, [
      ['SEC("fentry/unthrottle_cfs_rq")', 'SEC("tp_btf/pelt_cfs_tp")'],
    ]),
    example('ext4dist', { ext4_latency_seconds: [27, 1000] }),
    // Its array ends before the sum.
    exporterExample('shrinklat', { shrink_node_latency_seconds: powers(26, 1000) }),
    example('softirq-latency', {
      softirq_entry_latency_seconds: [21, 1000],
      softirq_service_latency_seconds: [21, 1000],
    }),
    example('softirq-latency-net-rx', { softirq_wait_seconds: [31, 1], softirq_runtime_seconds: [31, 1] }),
    example('xfsdist', { xfs_latency_seconds: [27, 1000] }),
  ];
}

/** @param {string} name @returns {NamedProgram} */
const gadget = (name, constants = {}) => ({
  name,
  source: `gadgets/${name}/program.bpf.c`,
  constants,
  // A map of variables with the type of a histogram: a template for new entries, which counts nothing.
  maps: { hists: slots('inspektor-gadget:27'), '.bss': slots('inspektor-gadget:27') },
});

const EXPORTER = {
  name: 'ebpf_exporter',
  repository: 'ebpf_exporter',
  paths: ['examples', 'include/x86'],
  flags: ['-mcpu=v3', '-Iinclude/x86'],
};

/** @type {readonly Project[]} */
export const PROJECTS = [
  {
    ...{ name: 'libbpf-tools', repository: 'bcc', version: '2026-08' },
    commit: '6d0a964c2cda4f8c61106a11c53d8eadd5a16097',
    paths: ['libbpf-tools/*.bpf.c', 'libbpf-tools/*.h', 'libbpf-tools/x86'],
    flags: ['-Ilibbpf-tools/x86'],
    programs: LIBBPF_TOOLS,
  },
  {
    ...{ ...EXPORTER, version: '2.4.2', commit: 'v2.4.2' },
    programs: exporterExamples('libbpf-tools'),
  },
  {
    ...{ ...EXPORTER, version: '2026-06', commit: '3b8f4d7397482c1714ed5c9160e69a207044d741' },
    programs: [
      ...exporterExamples('exporter-exp2'),
      exporterExample('cephfs-dist', {
        cephfs_latency_seconds: { layout: 'exporter-exp2:27', divisor: 1000, sum: 28 },
      }),
      exporterExample('tcp-syn-backlog-exp2zero', {
        tcp_syn_backlog: { layout: 'exporter-exp2zero:17', sum: 18 },
      }),
      // Equal steps without a largest slot.
      exporterExample('tcp-syn-backlog', {}),
      exporterExample('unix-socket-backlog', {
        unix_socket_backlog: { layout: 'exporter-exp2zero:17', sum: 18 },
      }),
      exporterExample('unix-accept-latency', {
        unix_accept_latency_seconds: { layout: 'exporter-exp2:10', divisor: 1_000_000, sum: 11 },
      }),
      exporterExample(
        'cgroup-rstat-flushing',
        Object.fromEntries(
          ['lock_wait', 'lock_hold', 'flush_latency'].map((name) => [
            `cgroup_rstat_${name}_seconds`,
            { layout: 'exporter-exp2:24', divisor: 100, sum: 25 },
          ]),
        ),
        ['fentry', 'fexit'].map((section) => [
          `SEC("${section}/cgroup_rstat_flush_locked")`,
          'SEC("tp_btf/cgroup_rstat_locked")',
        ]),
      ),
    ],
  },
  {
    ...{ name: 'Inspektor Gadget', repository: 'inspektor-gadget', version: '2026-08' },
    commit: 'aeac857bd9791c2ac5ce3e9e669be04634f385e7',
    paths: ['gadgets/profile_*', 'include'],
    flags: ['-Iinclude', '-Iinclude/gadget/amd64'],
    programs: [gadget('profile_blockio'), gadget('profile_qdisc_latency'), gadget('profile_tcprtt')],
  },
];
