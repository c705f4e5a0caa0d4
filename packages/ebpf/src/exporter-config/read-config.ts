import { open } from 'node:fs/promises';
import { HdrscopeError } from '@hdrscope/core';
import { reasonOf } from '@hdrscope/kit';
import {
  type ExporterConfigOptions,
  type ExporterHistogram,
  parseEbpfExporterConfig,
} from './parse-config.ts';
import { LARGEST_CONFIG } from './yaml-value.ts';

/**
 * Reads the histograms of a configuration file of ebpf_exporter: see `parseEbpfExporterConfig`.
 *
 * @param path A file, of which no more is read than a configuration may have.
 * @throws HdrscopeError `ERR_INVALID_OPTION` when the file cannot be read, is invalid, or has no histograms. The message begins
 *   with the path. `ERR_TOO_LARGE` when it is larger than any configuration.
 * @example
 * ```ts no-run needs a file
 * import { readEbpfExporterConfig, ingestKernel, kernelMap } from '@hdrscope/ebpf';
 * import { createRegistry } from '@hdrscope/registry';
 *
 * const registry = createRegistry();
 * for (const { name, map, family, decode } of await readEbpfExporterConfig('biolatency.yaml')) {
 *   ingestKernel(registry, decode(kernelMap({ name, ...map })), family);
 * }
 * ```
 */
export async function readEbpfExporterConfig(
  path: string,
  options: ExporterConfigOptions = {},
): Promise<ExporterHistogram[]> {
  let histograms: ExporterHistogram[];
  try {
    histograms = parseEbpfExporterConfig(await textOf(path), options);
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

async function textOf(path: string): Promise<string> {
  const bytes = Buffer.alloc(LARGEST_CONFIG + 1);
  const file = await open(path);
  try {
    let length = 0;
    for (let read = -1; read !== 0 && length < bytes.length; length += read) {
      read = (await file.read(bytes, length, bytes.length - length)).bytesRead;
    }
    return bytes.toString('utf8', 0, length);
  } finally {
    await file.close();
  }
}
