/**
 * Ends the process of an old Node.js with one sentence. Modules import it before any that an old Node.js does not understand, and scripts
 * of package.json that start programs of others run it first.
 */
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(
    `Node.js ${process.versions.node} is too old for hdrscope: install 20.19 or newer from https://nodejs.org`,
  );
  process.exit(1);
}
