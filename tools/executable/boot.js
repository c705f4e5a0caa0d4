/** The first script of the executable. `bundle.js` puts it and what it imports into one. */
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import * as sea from 'node:sea';
import { createLoader } from './loader.js';

const [, , first, code = ''] = process.argv;
// As if npm had installed it, so `npm install --global --prefix PREFIX koffi` adds a package.
const home = join(dirname(process.execPath), '../lib/hdrscope');

// Scripts ask for the version most often, so it loads nothing else.
if (first === '--version' || first === '-V') process.stdout.write(`${process.env.HDRSCOPE_VERSION}\n`);
// Packages run code in another process of Node.js, which this is too.
else if (first === '-e') {
  process.argv.splice(1, 3);
  new Function('require', code)(createRequire(join(home, 'index.js')));
} else {
  // The types of Node.js 20 lack a function.
  const { getAssetKeys, getRawAsset } =
    /** @type {{ getAssetKeys(): string[], getRawAsset(key: string): ArrayBuffer }} */ (
      /** @type {unknown} */ (sea)
    );
  const keys = new Set(getAssetKeys());
  const read = (/** @type {string} */ name) => (keys.has(name) ? Buffer.from(getRawAsset(name)) : undefined);
  createLoader({ home, read })('./main.js').runProcess();
}
