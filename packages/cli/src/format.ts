/** Formats a count for people: `1,234,567`. */
export function formatCount(count: number | bigint): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** The title of a percentile's column: `p99.9`. */
export function percentileTitle(percentile: number): string {
  return `p${percentile}`;
}

/** Formats a time for people: `2015-09-09 15:24:39.474 UTC`. */
export function formatTime(epochSec: number): string {
  return new Date(Math.round(epochSec * 1000)).toISOString().replace('T', ' ').replace('Z', ' UTC');
}
