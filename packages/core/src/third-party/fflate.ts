/** Zlib streams for runtimes other than Node.js. */
export { type ZlibOptions, zlibSync } from 'fflate';
