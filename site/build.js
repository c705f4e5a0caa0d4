/** `npm run site`: writes the reference of the API, and builds all pages into site/.vitepress/dist. */
import { build } from 'vitepress';
import { generateReference } from './reference/generate.js';

await generateReference();
await build(import.meta.dirname);
