/** Licences whose packages a user of hdrscope may get. */
const ALLOWED = new Set([
  'MIT',
  'ISC',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  '0BSD',
  'BlueOak-1.0.0',
  'Unlicense',
  'CC0-1.0',
]);

/** The programs for the kernel, which only the kernel runs. */
const OWN = new Map([['@hdrscope/ebpf', 'Apache-2.0 AND GPL-2.0-only']]);

/**
 * @typedef {{ license?: { id?: string, name?: string }, expression?: string }} SbomLicense
 * @typedef {{ name: string, version: string, licenses?: SbomLicense[] }} SbomComponent A component of a CycloneDX document.
 */

/**
 * The components whose licence is unknown, or is not allowed.
 *
 * @param {readonly SbomComponent[]} components
 * @returns {string[]}
 */
export function licenceProblems(components) {
  return components.flatMap(({ name, version, licenses = [] }) => {
    const texts = licenses.map(({ license, expression }) => expression ?? license?.id ?? license?.name ?? '');
    if (texts.length === 0) return [`${name}@${version} states no licence`];
    if (texts.every((text) => isAllowed(text) || OWN.get(name) === text)) return [];
    return [`${name}@${version} has the licence ${texts.join(', ')}`];
  });
}

/**
 * Whether somebody may use a package under one of the allowed licences.
 *
 * @param {string} expression An SPDX expression without nested parentheses.
 */
function isAllowed(expression) {
  const isOne = (/** @type {string} */ text) => ALLOWED.has(text.trim());
  const plain = expression.replace(/^\(|\)$/g, '');
  return plain.split(' OR ').some((choice) => choice.split(' AND ').every(isOne));
}
