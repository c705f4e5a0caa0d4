export { type KernelCounter, openKernelCounter } from './kernel-counter.ts';
export { type KernelProgram, openKernelProgram } from './kernel-program.ts';
export { type LoadedProgram, loadProgram } from './load-program.ts';
export { type CostMeter, measureCost } from './program-source.ts';
export type { KernelProgramName } from './programs.ts';
