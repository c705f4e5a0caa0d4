// The buckets of VictoriaMetrics' own client: 18 for each power of ten, from 1e-9 to 1e18. All processes have the same, so that
// ranges of several can be added up. https://pkg.go.dev/github.com/VictoriaMetrics/metrics#Histogram
const FIRST_EXPONENT = -9;
const LAST_EXPONENT = 18;
const PER_DECADE = 18;

/**
 * The bounds between the buckets of VictoriaMetrics, ascending: 487 numbers in the range from 1e-9 to 1e18, in the unit of the values. The upper bound belongs to a bucket. There is
 * a bucket below the first one, from 0, and one above the last.
 */
export const VMRANGE_BOUNDARIES: readonly number[] = /* @__PURE__ */ boundaries();

/**
 * The buckets as the label `vmrange` has them, ascending: 488 texts, such as `1.000e+00...1.136e+00`. The limits in a text have four digits,
 * so a value may lie beyond those, and within the boundaries.
 */
export const VMRANGES: readonly string[] = /* @__PURE__ */ ranges();

function boundaries(): number[] {
  const count = (LAST_EXPONENT - FIRST_EXPONENT) * PER_DECADE + 1;
  // Each power of ten is exact.
  return Array.from({ length: count }, (_, i) => {
    const decade = FIRST_EXPONENT + Math.floor(i / PER_DECADE);
    return Number(`1e${decade}`) * 10 ** ((i % PER_DECADE) / PER_DECADE);
  });
}

function ranges(): string[] {
  const limits = ['0', ...VMRANGE_BOUNDARIES.map(limitText), '+Inf'];
  return limits.slice(1).map((limit, i) => `${limits[i]}...${limit}`);
}

/** A number with four digits, and at least two in its exponent, as Go writes it. */
function limitText(boundary: number): string {
  return boundary.toExponential(3).replace(/e([+-])(\d)$/, 'e$10$2');
}
