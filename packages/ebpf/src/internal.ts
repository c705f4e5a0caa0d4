// Entry `@hdrscope/ebpf/internal`: for the other packages of hdrscope only. Names here may change in any release.
export { keptName } from './bpf/memory.ts';
