export { type KernelCounter, type KernelCounterOptions, openKernelCounter } from './kernel-counter.ts';
export {
  KERNEL_PROGRAM_HISTOGRAMS,
  KERNEL_PROGRAMS,
  type KernelProgram,
  type KernelProgramName,
  type KernelProgramOptions,
  kernelProgramFile,
  openKernelProgram,
} from './kernel-program.ts';
export {
  type AttachedProgram,
  type LoadedMap,
  type LoadedProgram,
  type LoadOptions,
  loadProgram,
} from './load-program.ts';
export { type CostMeter, measureCost, type ProgramCost } from './program-source.ts';
