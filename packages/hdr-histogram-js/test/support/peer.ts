import { createRequire } from 'node:module';
import type * as ours from '../../src/index.ts';

const require = createRequire(import.meta.url);

// An override of npm may put this package in the place of hdr-histogram-js. Compared with itself, it would always be right.
const ORIGINAL = 'hdr-histogram-js';
const { name } = require(`${ORIGINAL}/package.json`) as { name: string };
if (name !== ORIGINAL) throw new Error(`hdr-histogram-js must be the original, got ${name}`);

/** hdr-histogram-js itself, which the tools of this workspace install. */
export const peer: typeof ours = require(ORIGINAL) as typeof ours;

/** A module of it, by its path. */
export function peerModule<Default>(path: string): Default {
  return (require(`${ORIGINAL}/${path}`) as { default: Default }).default;
}
