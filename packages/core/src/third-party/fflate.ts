/** Zlib streams for runtimes other than Node.js. */
export { Unzlib, unzlibSync, type ZlibOptions, zlibSync } from 'fflate';
