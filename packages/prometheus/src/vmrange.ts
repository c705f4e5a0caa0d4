import { bucketCounts } from '@hdrscope/registry';
import type { CurrentState, FamilyFacts } from '@hdrscope/registry/internal';

/** A bucket with a value, in VictoriaMetrics' form. */
export interface RangeBucket {
  /** Its limits, of which the lower one is outside: `1.000e+00...1.136e+00`. */
  readonly range: string;
  /** Not cumulative. */
  readonly count: number;
}

// The buckets of VictoriaMetrics' own client: 18 for each power of ten, from 1e-9 to 1e18. All processes have the same, so that
// ranges of several can be added up. https://pkg.go.dev/github.com/VictoriaMetrics/metrics#Histogram
const FIRST_EXPONENT = -9;
const LAST_EXPONENT = 18;
const PER_DECADE = 18;

const BOUNDARIES: readonly number[] = /* @__PURE__ */ boundaries();
const RANGES: readonly string[] = /* @__PURE__ */ ranges();

/** The buckets of a series that have values, ascending. All values of an HDR slot count as the middle of the slot. */
export function rangeBuckets(family: FamilyFacts, series: CurrentState): RangeBucket[] {
  const counts = bucketCounts(family, series, BOUNDARIES);
  return counts.flatMap((count, i) => (count === 0 ? [] : [{ range: RANGES[i]!, count }]));
}

function boundaries(): number[] {
  const count = (LAST_EXPONENT - FIRST_EXPONENT) * PER_DECADE + 1;
  // Each power of ten is exact.
  return Array.from({ length: count }, (_, i) => {
    const decade = FIRST_EXPONENT + Math.floor(i / PER_DECADE);
    return Number(`1e${decade}`) * 10 ** ((i % PER_DECADE) / PER_DECADE);
  });
}

function ranges(): string[] {
  const limits = ['0', ...BOUNDARIES.map(limitText), '+Inf'];
  return limits.slice(1).map((limit, i) => `${limits[i]}...${limit}`);
}

/** A number with four digits, and at least two in its exponent, as Go writes it. */
function limitText(boundary: number): string {
  return boundary.toExponential(3).replace(/e([+-])(\d)$/, 'e$10$2');
}
