const UNITS = [
  ['ns', 1],
  ['µs', 1e3],
  ['ms', 1e6],
  ['s', 1e9],
] as const;

/** Formats nanoseconds for people: three digits and a suitable unit. */
export function formatDuration(ns: number): string {
  // Rounds before it chooses the unit: 999.6 µs is 1.00 ms.
  const rounded = Number(ns.toPrecision(3));
  const [unit, size] = UNITS.findLast(([, size]) => rounded >= size) ?? UNITS[0];
  const value = rounded / size;
  if (unit === 'ns' || value >= 100) return `${Math.round(value)} ${unit}`;
  return `${value.toFixed(value < 10 ? 2 : 1)} ${unit}`;
}
