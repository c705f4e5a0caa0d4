// Entry `@hdrscope/inputs/sketches`: distributions that other programs have counted, read and written.
export { readEnvoyStats } from './circllhist.ts';
export type { Conversion, PositionError } from './conversion.ts';
export { readDdsketch } from './ddsketch.ts';
export { readDdsketchBinary } from './ddsketch-binary.ts';
export { DDSKETCH_WRITERS, type DdsketchWriter } from './ddsketch-mapping.ts';
export { readElasticsearch } from './elasticsearch.ts';
export type { NamedSketch, Sketch } from './sketch.ts';
export { readVmranges } from './vmrange.ts';
export { writeDdsketch, writeElasticsearch } from './write.ts';
