import { statSync } from 'node:fs';
import { join } from 'node:path';
import { type ExporterHistogram, readEbpfExporterConfig } from '@hdrscope/ebpf';
import { findCountedUnit, findMapHistogram } from '@hdrscope/ebpf/internal';
import { reasonOf } from '@hdrscope/kit';
import type { CountedUnit } from '@hdrscope/registry';
import { UsageError } from '../../command.ts';
import { systemReason } from '../../system-error.ts';

export interface ExporterConfig {
  readonly path: string;
  /** At least one. */
  readonly histograms: readonly ExporterHistogram[];
}

/**
 * Reads the configuration that `--config` names.
 *
 * @throws UsageError when the file cannot be read, or is not such a configuration.
 */
export async function withConfig<Given extends { readonly config?: string }>(
  options: Given,
): Promise<Omit<Given, 'config'> & { readonly config?: ExporterConfig }> {
  const { config, ...others } = options;
  return config === undefined ? others : { ...others, config: await readConfig(config) };
}

async function readConfig(path: string): Promise<ExporterConfig> {
  try {
    return { path, histograms: await readEbpfExporterConfig(path) };
  } catch (error) {
    throw new UsageError(systemReason(error, path) ?? `--config cannot be taken from ${reasonOf(error)}`);
  }
}

/**
 * The histogram of a map.
 *
 * @param names Names that the map may have.
 * @throws UsageError when none of the histograms, or more than one, has such a name.
 */
export function histogramOf(
  { path, histograms }: ExporterConfig,
  argument: string,
  names: readonly string[],
): ExporterHistogram {
  const found = findMapHistogram(histograms, names);
  if (found !== undefined) return found;
  throw new UsageError(`${argument} must be one of the maps in ${path}: ${placesOf(histograms)}`);
}

/**
 * The maps that operands and a configuration name: a folder stands for the pins in it, and no operand for all maps by their
 * names. Options behind an operand stay.
 */
export function configuredOperands(
  operands: readonly string[],
  { histograms }: ExporterConfig,
): readonly string[] {
  if (operands.length === 0) return histograms.map(({ name }) => `name:${name}`);
  return operands.flatMap((operand) => {
    const [, place = operand, options = ''] = /^(.*?)(,[A-Za-z][\w.-]*=.*)?$/s.exec(operand) ?? [];
    if (!isFolder(place)) return [operand];
    return histograms.map(({ name }) => `${join(place, name)}${options}`);
  });
}

/**
 * The one map that a command shows.
 *
 * @throws UsageError when there is no operand, and no configuration of one histogram.
 */
export function operandOf([operand]: readonly string[], config: ExporterConfig | undefined): string {
  if (config === undefined) {
    if (operand === undefined) throw new UsageError("missing required argument 'map'");
    return operand;
  }
  const [first, second] = configuredOperands(operand === undefined ? [] : [operand], config);
  if (second === undefined) return first!;
  throw new UsageError(`${config.path} has several histograms: name one of ${placesOf(config.histograms)}`);
}

/** The unit in which values are shown: that of the command line, or else the one that all histograms have. */
export function shownUnit(unit: CountedUnit, config: ExporterConfig | undefined): CountedUnit {
  return unit !== 'none' || config === undefined ? unit : findCountedUnit(config.histograms);
}

const MOST_NAMES = 10;

function placesOf(histograms: readonly ExporterHistogram[]): string {
  const places = histograms.slice(0, MOST_NAMES).map(({ name }) => `name:${name}`);
  return [...places, ...(histograms.length > MOST_NAMES ? ['…'] : [])].join(', ');
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
