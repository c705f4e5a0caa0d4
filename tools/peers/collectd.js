import { unpackDebianPackage, writeCommand } from './debian.js';
import { run } from './run.js';

/**
 * Unpacks collectd and its plugins into a folder, with a command in `bin` that runs it.
 *
 * @param {string} folder
 */
export function unpackCollectd(folder) {
  unpackDebianPackage({ name: 'collectd-core', version: '5.12' }, folder);
  unpackDebianPackage({ name: 'libltdl7', version: '2.4' }, folder);
  unpackDebianPackage({ name: 'libyajl2', version: '2.1' }, folder);
  const program = writeCommand(folder, 'collectd', 'exec "$here/usr/sbin/collectd"');
  run(program, ['-h'], { limitSeconds: 30 });
}
