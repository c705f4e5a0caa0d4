/**
 * Compiles parts in a folder, and writes beside each what V8 made of it, so that the executable compiles them no more: `node compile.js
 * FOLDER`, by the Node.js of the executable.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { Script } from 'node:vm';
import { wrapPart } from './loader.js';

const [, , folder = ''] = process.argv;

for (const name of readdirSync(folder)) {
  // Every function at once, and none because it ran: two builds are equal to the byte.
  setFlagsFromString('--no-lazy');
  const script = new Script(wrapPart(readFileSync(join(folder, name))));
  // V8 takes compiled code only under the flags that it was written under.
  setFlagsFromString('--lazy');
  writeFileSync(join(folder, `${name}.cache`), script.createCachedData());
}
