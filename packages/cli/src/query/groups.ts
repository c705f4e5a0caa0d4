import type { HistoryGroup } from '@hdrscope/history';
import { attributePairs, countedUnitOf } from '@hdrscope/plot';
import type { CountedUnit } from '@hdrscope/registry';
import { type ValueScale, valueScaleOf } from '../value-scale.ts';

/** The unit in which the values of a group are shown. */
export interface ShownUnit {
  /** As the documents of JSON have it. */
  readonly unit: CountedUnit;
  /** As people read it; empty when values have no unit. */
  readonly title: string;
  /** The divisor of values in the unit of the metric. */
  readonly scale: ValueScale;
}

/** Times are shown in milliseconds, as in all commands; units that commands do not know keep their UCUM code. */
export function shownUnitOf(ucum: string): ShownUnit {
  const unit = countedUnitOf({ unit: ucum });
  const scale = valueScaleOf(unit);
  if (scale.unit === '') return { unit, title: ucum === '1' ? '' : ucum, scale };
  return { unit: scale.unit, title: scale.unit, scale };
}

/** The line above a table: the metric, and the unit of its values. */
export function headingOf(metric: string, { title }: ShownUnit): string {
  return title === '' ? metric : `${metric}, values in ${title}`;
}

/** The title of a plot: what is drawn, and the unit where the axis cannot name it. */
export function plotTitle(name: string, { unit, title }: ShownUnit): string {
  return unit === 'none' && title !== '' ? `${name} in ${title}` : name;
}

/** A group, and how it is shown. */
export interface ShownGroup extends ShownUnit {
  readonly group: HistoryGroup;
  /** The values of the keys of `--by`, in their order, and the step of the values where groups differ in nothing else. */
  readonly cells: readonly string[];
  /** The group's name in plots and documents. */
  readonly name: string;
}

/** The text for a key that the series of a group do not have. */
const WITHOUT = '-';

/** How groups are shown: groups of one unit together, units in the order of their first group. */
export function shownGroups(
  groups: readonly HistoryGroup[],
  metric: string,
  by: readonly string[],
): { readonly keys: readonly string[]; readonly units: readonly (readonly ShownGroup[])[] } {
  const hasSteps = new Set(groups.map(({ unit, scale }) => `${scale} ${unit}`)).size > 1;
  const keys = hasSteps ? [...by, 'step'] : by;
  const units = new Map<string, ShownGroup[]>();
  for (const group of groups) {
    const { attributes, unit, scale } = group;
    const step = hasSteps ? [`${scale} ${unit}`.trim()] : [];
    const cells = [...by.map((key) => attributes[key] ?? WITHOUT), ...step];
    const name = [attributePairs(attributes).join(', ') || (by.length === 0 ? metric : WITHOUT), ...step];
    const shown = { ...shownUnitOf(unit), group, cells, name: name.join(' in steps of ') };
    const ofUnit = units.get(unit);
    if (ofUnit === undefined) units.set(unit, [shown]);
    else ofUnit.push(shown);
  }
  return { keys, units: [...units.values()] };
}
