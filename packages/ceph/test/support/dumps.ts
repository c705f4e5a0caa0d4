interface AxisFields {
  readonly [field: string]: unknown;
}

export const LINEAR: AxisFields = {
  name: 'Items',
  min: 0,
  quant_size: 10,
  buckets: 3,
  scale_type: 'linear',
  ranges: [{ max: -1 }, { min: 0, max: 9 }, { min: 10 }],
};

/** A dump of one histogram, as text. */
export function dumpOf(values: unknown, axes: readonly AxisFields[] = [LINEAR], more: object = {}): string {
  return JSON.stringify({ osd: { items: { axes, ...more, values } } });
}
