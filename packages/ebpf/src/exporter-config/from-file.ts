import { closeSync, openSync, readSync } from 'node:fs';
import { HdrscopeError } from '@hdrscope/core';
import { reasonOf } from '@hdrscope/kit';
import { type ExporterConfigOptions, type ExporterHistogram, fromEbpfExporterConfig } from './from-config.ts';
import { LARGEST_CONFIG } from './yaml-value.ts';

/**
 * Reads the histograms of a configuration file of ebpf_exporter: see `fromEbpfExporterConfig`.
 *
 * @param path A file, of which no more is read than a configuration may have.
 * @throws HdrscopeError `ERR_INVALID_OPTION` when the file cannot be read, is invalid, or has no histograms. The message begins
 *   with the path. `ERR_TOO_LARGE` when it is larger than any configuration.
 * @example
 * ```ts no-run needs a file
 * import { fromEbpfExporterConfigFile, kernelHistograms, kernelMap } from '@hdrscope/ebpf';
 * import { createRegistry } from '@hdrscope/registry';
 *
 * const registry = createRegistry();
 * for (const { name, map, family, decode } of fromEbpfExporterConfigFile('biolatency.yaml')) {
 *   kernelHistograms(registry, decode(kernelMap({ name, ...map })), family);
 * }
 * ```
 */
export function fromEbpfExporterConfigFile(
  path: string,
  options: ExporterConfigOptions = {},
): ExporterHistogram[] {
  let histograms: ExporterHistogram[];
  try {
    histograms = fromEbpfExporterConfig(textOf(path), options);
  } catch (error) {
    const { code = 'ERR_INVALID_OPTION', details = {} } = error instanceof HdrscopeError ? error : {};
    throw new HdrscopeError(code, `${path}: ${reasonOf(error)}`, {
      cause: error,
      details: { ...details, path },
    });
  }
  if (histograms.length > 0) return histograms;
  const message = `${path} must have histograms under metrics, and has none: counters are not read`;
  throw new HdrscopeError('ERR_INVALID_OPTION', message, { details: { path } });
}

function textOf(path: string): string {
  const bytes = Buffer.alloc(LARGEST_CONFIG + 1);
  const file = openSync(path, 'r');
  try {
    let length = 0;
    for (let read = -1; read !== 0 && length < bytes.length; length += read) {
      read = readSync(file, bytes, length, bytes.length - length, null);
    }
    return bytes.toString('utf8', 0, length);
  } finally {
    closeSync(file);
  }
}
