import { mustBe } from '@hdrscope/core/internal';
import type { HeatAxis, HeatMapPlot } from '../plot.ts';

/** @throws HdrscopeError `ERR_INVALID_VALUE` when an axis has no slots, a bound is not a number, or a count is missing or negative. */
export function assertHeatMap({ x, y, counts }: HeatMapPlot): void {
  assertAxis('x', x);
  assertAxis('y', y);
  if (!Array.isArray(counts) || counts.length !== y.slots.length) {
    throw mustBe('ERR_INVALID_VALUE', 'counts', `${y.slots.length} rows, one for each slot of y`, counts);
  }
  for (const [row, columns] of counts.entries()) {
    if (!Array.isArray(columns) || columns.length !== x.slots.length) {
      const allowed = `${x.slots.length} counts, one for each slot of x`;
      throw mustBe('ERR_INVALID_VALUE', `counts[${row}]`, allowed, columns);
    }
    const wrong = columns.findIndex((count) => !(Number.isFinite(count) && count >= 0));
    if (wrong >= 0) {
      const what = `counts[${row}][${wrong}]`;
      throw mustBe('ERR_INVALID_VALUE', what, 'a finite number of at least 0', columns[wrong]);
    }
  }
}

function assertAxis(name: string, { slots }: HeatAxis): void {
  if (!Array.isArray(slots) || slots.length === 0) {
    throw mustBe('ERR_INVALID_VALUE', `${name}.slots`, 'at least one slot', slots);
  }
  for (const [i, { lower, upper }] of slots.entries()) {
    if (typeof lower !== 'number' || Number.isNaN(lower)) {
      throw mustBe('ERR_INVALID_VALUE', `${name}.slots[${i}].lower`, 'a number', lower);
    }
    if (!(upper >= lower)) {
      throw mustBe('ERR_INVALID_VALUE', `${name}.slots[${i}].upper`, `a number of at least ${lower}`, upper);
    }
  }
}
