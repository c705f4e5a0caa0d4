import { bpftoolMap, examineKernel, type KernelSource, kernelMap, listMaps } from '@hdrscope/ebpf';
import { newestMapId } from '@hdrscope/ebpf/internal';
import { measureCost, openKernelProgram } from '@hdrscope/ebpf/loader';

/** Access to the kernel. Tests replace it. */
export interface Kernel {
  readonly list: typeof listMaps;
  readonly newestMapId: typeof newestMapId;
  readonly open: (...options: Parameters<typeof kernelMap>) => KernelSource;
  readonly openByTool: (...options: Parameters<typeof bpftoolMap>) => KernelSource;
  readonly examine: typeof examineKernel;
  readonly openProgram: typeof openKernelProgram;
  readonly measureCost: typeof measureCost;
}

/** The kernel of this machine. */
export const THIS_KERNEL: Kernel = {
  list: listMaps,
  newestMapId,
  open: kernelMap,
  openByTool: bpftoolMap,
  examine: examineKernel,
  openProgram: openKernelProgram,
  measureCost,
};
