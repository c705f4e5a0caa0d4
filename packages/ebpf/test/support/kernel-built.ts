import { BuiltPackages } from '@hdrscope/testing';

/** Builds this package for processes of another user. */
export function buildEbpf(): BuiltPackages {
  const built = new BuiltPackages(['ebpf']);
  built.openToEveryone();
  return built;
}
