/** What an image contains, as CycloneDX: https://cyclonedx.org/docs/1.6/json/ */

/** @typedef {{ name: string, version: string, licence?: string, purl: string }} Component */

/**
 * @param {Component} program
 * @param {readonly Component[]} components
 */
export function formatSbom(program, components) {
  const document = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: describe('application', program) },
    components: components.map((one) => describe('library', one)).sort((a, b) => (a.purl < b.purl ? -1 : 1)),
  };
  return `${JSON.stringify(document, undefined, 2)}\n`;
}

/**
 * @param {string} type
 * @param {Component} component
 */
function describe(type, { name, version, licence, purl }) {
  const licenses = licence === undefined ? {} : { licenses: [{ expression: licence }] };
  return { type, 'bom-ref': purl, name, version, ...licenses, purl };
}

/**
 * A package of npm.
 *
 * @param {{ name: string, version: string, license?: string }} manifest
 * @returns {Component}
 */
export function npmComponent({ name, version, license }) {
  const purl = `pkg:npm/${name.replace('@', '%40')}@${encodeURIComponent(version)}`;
  return { name, version, ...(license !== undefined && { licence: license }), purl };
}

/**
 * A package of Debian.
 *
 * @param {{ name: string, version: string, architecture: string }} fields
 * @returns {Component}
 */
export function debianComponent({ name, version, architecture }) {
  const purl = `pkg:deb/debian/${name}@${encodeURIComponent(version)}?arch=${architecture}&distro=debian-12`;
  return { name, version, purl };
}
