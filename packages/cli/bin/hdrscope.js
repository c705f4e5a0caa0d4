#!/usr/bin/env node
// An old Node.js has to understand this file, so that it can say what is wrong.
const [major, minor] = process.versions.node.split('.').map(Number);
if (major > 20 || (major === 20 && minor >= 19)) {
  await import('../dist/main.js');
} else {
  console.error(
    `hdrscope: Node.js ${process.versions.node} is too old: install 20.19 or newer from https://nodejs.org`,
  );
  process.exitCode = 1;
}
