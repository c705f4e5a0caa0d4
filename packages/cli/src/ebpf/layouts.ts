import { HdrscopeError } from '@hdrscope/core';
import { KERNEL_LAYOUT_SYNTAX, type KernelLayout, kernelLayoutOf } from '@hdrscope/ebpf';
import { UsageError } from '../command.ts';

/** For the help. */
export const LAYOUTS_HELP: string = KERNEL_LAYOUT_SYNTAX;

/** @throws UsageError */
export function parseLayout(text: string): KernelLayout {
  try {
    return kernelLayoutOf(text);
  } catch (error) {
    if (!(error instanceof HdrscopeError)) throw error;
    throw new UsageError(error.message.replace(/^the layout/, '--layout'));
  }
}
