// Entry `@hdrscope/inputs/sketches`: distributions that other programs have counted, read and written.
export { type DdsketchOptions, readDdsketch } from './ddsketch.ts';
export { DDSKETCH_WRITERS, type DdsketchWriter } from './ddsketch-mapping.ts';
export type { Sketch } from './sketch.ts';
