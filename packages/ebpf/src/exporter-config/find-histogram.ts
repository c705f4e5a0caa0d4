import type { CountedUnit } from '@hdrscope/registry';
import { keptName } from '../bpf/memory.ts';
import type { ExporterHistogram } from './config.ts';

/** The histograms of a map. The kernel keeps 15 bytes of its name, which several may begin with. */
export function listMapHistograms(
  histograms: readonly ExporterHistogram[],
  mapName: string,
): readonly ExporterHistogram[] {
  const exact = histograms.filter(({ name }) => name === mapName);
  return exact.length > 0 ? exact : histograms.filter(({ name }) => keptName(name) === mapName);
}

/**
 * The histogram of a map; `undefined` when none, or more than one, has such a name. A histogram alone is that of any map.
 *
 * @param names Names that the map may have. The kernel keeps 15 bytes of one.
 */
export function findMapHistogram(
  histograms: readonly ExporterHistogram[],
  names: readonly string[],
): ExporterHistogram | undefined {
  const exact = histograms.filter(({ name }) => names.includes(name));
  const cut = histograms.filter(({ name }) => names.includes(keptName(name)));
  const found = exact.length > 0 ? exact : cut.length > 0 ? cut : histograms;
  return found.length === 1 ? found[0] : undefined;
}

const UNITS: Readonly<Record<string, CountedUnit>> = {
  's 1e-9': 'ns',
  's 0.000001': 'us',
  's 0.001': 'ms',
  's 1': 's',
  'By 1': 'bytes',
  'By 1024': 'KiB',
};

/** The unit in which all histograms are counted; `'none'` when they have several, or one without a name. */
export function findCountedUnit(histograms: readonly ExporterHistogram[]): CountedUnit {
  const units = new Set(histograms.map(({ family }) => UNITS[`${family.unit} ${family.scale}`] ?? 'none'));
  return units.size === 1 ? [...units][0]! : 'none';
}
