export { type KernelCounter, type KernelCounterOptions, openKernelCounter } from './kernel-counter.ts';
export {
  type AttachedProgram,
  type LoadedMap,
  type LoadedProgram,
  type LoadOptions,
  loadProgram,
} from './load-program.ts';
export { openRunQueue, RUN_QUEUE_PROGRAM, type RunQueue } from './run-queue.ts';
