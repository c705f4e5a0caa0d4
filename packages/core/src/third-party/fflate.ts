/** Zlib streams for runtimes other than Node.js. */
export { Unzlib, type ZlibOptions, zlibSync } from 'fflate';
