/** The results as Markdown: a row for each program, a column for each number of writers. */
import { median } from '../bench/table.js';

/** @import { Result } from './measure.js' */

/** @param {readonly Result[]} results */
export function rateTable(results) {
  return table('million records a second, all writers together', results, ({ rates }) => {
    const range = `${short(Math.min(...rates))}..${short(Math.max(...rates))}`;
    return `**${short(median(rates))}** (${range})`;
  });
}

/** @param {readonly Result[]} results */
export function costTable(results) {
  return table('ns that a record takes in a writer', results, ({ costs }) => short(median(costs)));
}

/**
 * @param {string} title
 * @param {readonly Result[]} results
 * @param {(result: Result) => string} cell
 */
function table(title, results, cell) {
  const counts = [...new Set(results.map(({ writers }) => writers))];
  const names = [...new Set(results.map(({ name }) => name))];
  const rows = names.map((name) => [
    name,
    ...counts.map((count) => {
      const found = results.find((one) => one.name === name && one.writers === count);
      return found ? cell(found) : '';
    }),
  ]);
  const header = [title, ...counts.map((count) => (count === 1 ? '1 writer' : `${count} writers`))];
  return [header, ['---', ...counts.map(() => '--:')], ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
}

/**
 * Formats a number with three digits, which is the precision of the measurements.
 *
 * @param {number} value
 */
function short(value) {
  return value >= 100 ? String(Math.round(value)) : value.toPrecision(3);
}
