/** From samples to ratios, verdicts and tables. */

/** @import { CaseResult, Comparison, GroupResult, Target } from './types.js' */

/** @param {readonly number[]} numbers */
export function median(numbers) {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? upper)) / 2;
}

/**
 * Compares every case of ours with every peer of the group, and adds the other comparisons of the targets.
 *
 * @param {GroupResult} group
 * @param {readonly Target[]} targets
 * @returns {Comparison[]}
 */
export function compare({ id, cases }, targets) {
  const promised = targets.filter(({ group }) => group === id);
  const peers = cases.filter((one) => !isOurs(one));
  return cases.filter(isOurs).flatMap((one) => {
    const own = promised.filter(({ ours }) => ours === one.name);
    const named = cases.filter((other) => isOurs(other) && own.some(({ peer }) => peer === other.name));
    const pairs = [...peers, ...named].map((peer) =>
      judge(
        one,
        peer,
        own.find((target) => target.peer === peer.name),
      ),
    );
    const alone = own.filter(({ peer }) => peer === undefined).map((target) => judge(one, undefined, target));
    return [...alone, ...pairs];
  });
}

/** @param {{ name: string }} one */
export function isOurs({ name }) {
  return name.startsWith('hdrscope');
}

/**
 * @param {CaseResult} one
 * @param {CaseResult} [peer]
 * @param {Target} [target]
 * @returns {Comparison}
 */
function judge(one, peer, target) {
  const ratio = peer && pairwiseRatio(peer.samples, one.samples);
  const met = target && isMet(target, ratio ?? Number.NaN, median(one.samples));
  return {
    ours: one.name,
    ...(peer && { peer: peer.name }),
    ...(ratio !== undefined && { ratio }),
    ...(target && { target }),
    ...(met !== undefined && { met }),
  };
}

/**
 * The median of the ratios of all rounds. Both samples of a round were taken in the same state of the machine.
 *
 * @param {readonly number[]} above
 * @param {readonly number[]} below
 */
function pairwiseRatio(above, below) {
  return median(
    above.flatMap((sample, round) => (below[round] === undefined ? [] : [sample / below[round]])),
  );
}

/**
 * @param {Target} target
 * @param {number} ratio
 * @param {number} amount
 */
function isMet({ atLeast, atMost, limit }, ratio, amount) {
  if (limit !== undefined) return amount <= limit;
  if (atLeast !== undefined) return ratio >= atLeast;
  return 1 / ratio <= (atMost ?? Number.NaN);
}

/** @typedef {[name: string, middle: string, range: string, peer: string, ratio: string, target: string, verdict: string]} Row */

/** @type {Row} */
const header = ['case', 'median', 'min..max', 'compared with', 'ratio', 'target', ''];

/**
 * @param {GroupResult} group
 * @param {readonly Comparison[]} comparisons
 */
export function textTable(group, comparisons) {
  const rows = [header, ...rowsOf(group, comparisons)];
  const widths = header.map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  const lines = rows.map((row) =>
    row
      .map((cell, i) => (isNumeric(i) ? cell.padStart(widths[i] ?? 0) : cell.padEnd(widths[i] ?? 0)))
      .join('  ')
      .trimEnd(),
  );
  return [
    group.title,
    ...lines.map((line) => `  ${line}`),
    ...notesOf(group).map((note) => `  ! ${note}`),
  ].join('\n');
}

/**
 * @param {GroupResult} group
 * @param {readonly Comparison[]} comparisons
 */
export function markdownTable(group, comparisons) {
  /** @param {readonly string[]} cells */
  const line = (cells) => `| ${cells.join(' | ')} |`;
  const rows = rowsOf(group, comparisons).map(([name, ...rest]) => {
    const bold = name.startsWith('hdrscope') ? `**${name}**` : name;
    return line([bold, ...rest.map((cell) => (cell === 'NOT MET' ? '**NOT MET**' : cell))]);
  });
  const rule = header.map((_, column) => (isNumeric(column) ? '--:' : '---'));
  const notes = notesOf(group).map((note) => `\n${note}`);
  return [`### ${group.title}\n`, line(header), line(rule), ...rows, ...notes].join('\n');
}

/** @param {number} column */
function isNumeric(column) {
  return column === 1 || column === 4;
}

/**
 * One row per comparison; the case and its time stand in the first row only.
 *
 * @param {GroupResult} group
 * @param {readonly Comparison[]} comparisons
 * @returns {Row[]}
 */
function rowsOf({ cases, unit }, comparisons) {
  return cases.flatMap((one) => {
    const lead = leadOf(one, unit);
    const own = one.missing
      ? []
      : comparisons.filter(({ ours, ratio }) => ours === one.name && !Number.isNaN(ratio));
    if (own.length === 0) return [/** @type {Row} */ ([...lead, '', '', '', ''])];
    return own.map(
      (comparison, i) =>
        /** @type {Row} */ ([...(i === 0 ? lead : ['', '', '']), ...cellsOf(comparison, unit)]),
    );
  });
}

/**
 * @param {CaseResult} one
 * @param {'ns' | 'bytes'} unit
 */
function leadOf({ name, samples, missing }, unit) {
  if (missing) return [name, 'missing', ''];
  const range = `${amount(Math.min(...samples), unit)}..${amount(Math.max(...samples), unit)}`;
  return [name, amount(median(samples), unit), range];
}

/**
 * @param {Comparison} comparison
 * @param {'ns' | 'bytes'} unit
 */
function cellsOf({ peer = '', ratio, target, met }, unit) {
  const verdict = met === undefined ? '' : met ? 'met' : 'NOT MET';
  return [
    peer,
    ratio === undefined ? '' : ratioText(ratio, unit),
    target ? targetText(target, unit) : '',
    verdict,
  ];
}

/**
 * @param {number} ratio
 * @param {'ns' | 'bytes'} unit
 */
function ratioText(ratio, unit) {
  // A ratio with zero has no meaning.
  if (ratio === 0 || !Number.isFinite(ratio)) return '-';
  const [better, worse] = unit === 'ns' ? ['faster', 'slower'] : ['smaller', 'larger'];
  return ratio >= 1 ? `${short(ratio)}x ${better}` : `${short(1 / ratio)}x ${worse}`;
}

/**
 * @param {Target} target
 * @param {'ns' | 'bytes'} unit
 */
function targetText({ atLeast, atMost, limit }, unit) {
  if (limit !== undefined) return `<= ${amount(limit, unit)}`;
  return atLeast === undefined ? `<= ${atMost}x slower` : `>= ${atLeast}x faster`;
}

/** @param {GroupResult} group */
function notesOf({ cases, warnings }) {
  const missing = cases.flatMap((one) => (one.missing ? [`"${one.name}" is missing: ${one.missing}.`] : []));
  const unstable = cases.filter(({ stable, missing }) => !stable && !missing).map(({ name }) => `"${name}"`);
  if (unstable.length === 0) return [...missing, ...warnings];
  return [...missing, ...warnings, `Still uneven after its warm-up: ${unstable.join(', ')}.`];
}

/**
 * @param {number} value
 * @param {'ns' | 'bytes'} unit
 */
function amount(value, unit) {
  const [steps, names] = unit === 'ns' ? [1000, ['ns', 'µs', 'ms', 's']] : [1000, ['B', 'KB', 'MB']];
  let scaled = value;
  let step = 0;
  for (; scaled >= steps && step < names.length - 1; step++) scaled /= steps;
  return `${short(scaled)} ${names[step]}`;
}

/**
 * Formats a number with three digits, which is the precision of the measurements.
 *
 * @param {number} value
 */
function short(value) {
  return value >= 100 ? String(Math.round(value)) : String(Number(value.toPrecision(3)));
}
