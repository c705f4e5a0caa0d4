/** `node --conditions=@hdrscope/source --import tools/lib/sources.js`: Node.js then loads the sources of all packages. */
import './node-version.js';
import { register } from 'node:module';

register('./source-hooks.js', import.meta.url);
