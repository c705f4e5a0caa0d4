/**
 * @typedef {{ name: string, text: string, packages: string[] }} Change A change that waits for a release: a file of `.changeset`.
 */

/**
 * Reads a file of `.changeset`.
 *
 * @param {string} name
 * @param {string} file
 * @returns {Change}
 */
export function parseChange(name, file) {
  const [, head = '', text = ''] = /^---\n([\s\S]*?)\n---\n([\s\S]*)$/.exec(file) ?? [];
  const packages = [...head.matchAll(/^["']?([^"':]+)["']?:/gm)].map(([, one = '']) => one.trim());
  if (packages.length === 0 || text.trim() === '') {
    throw new Error(`.changeset/${name} must name packages between two lines of ---, and say what changes`);
  }
  return { name, text: text.trim(), packages };
}

/**
 * The changelog with a section for a release: what `Unreleased` had, and behind it the changes.
 *
 * @param {string} changelog
 * @param {{ version: string, date: string, changes: readonly Change[] }} release `date` as 2026-11-23.
 * @throws Error when the changelog has no section `Unreleased`, or has one for the version already.
 */
export function releasedChangelog(changelog, { version, date, changes }) {
  if (changelog.includes(`\n## ${version} `))
    throw new Error(`CHANGELOG.md has a section for ${version} already`);
  const [before, after] = changelog.split('\n## Unreleased\n');
  if (after === undefined) throw new Error('CHANGELOG.md must have a section "## Unreleased"');
  const entries = changes.map(
    ({ text, packages }) => `- ${packages.map((one) => `\`${one}\``).join(', ')}: ${indented(text)}`,
  );
  const list = entries.length === 0 ? '' : `\n### Changes\n\n${entries.join('\n')}\n`;
  const next = after.indexOf('\n## ');
  const end = next === -1 ? after.length : next;
  return `${before}\n## Unreleased\n\n## ${version} - ${date}\n${after.slice(0, end)}${list}${after.slice(end)}`;
}

/** @param {string} text */
function indented(text) {
  return text.replaceAll('\n', '\n  ');
}
