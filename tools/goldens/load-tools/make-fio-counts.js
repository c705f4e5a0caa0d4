// Writes fio-3.33.json and logs of histograms: what fio has measured on small files. Run it in an empty folder: node make-fio-counts.js FIO

import { spawnSync } from 'node:child_process';
import { readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';

const [fio] = process.argv.slice(2);
const JOBS = `[global]
ioengine=psync
size=256k
bs=4k
write_hist_log=golden
log_hist_msec=100
slat_percentiles=1
clat_percentiles=1
lat_percentiles=1
thread=1

[mixed]
rw=randrw
number_ios=60
thinktime=4000
thinktime_blocks=1

[logged]
rw=randwrite
number_ios=40
fsync=10
`;

/** @param {string} json @param {string[]} jobs */
function run(json, jobs) {
  writeFileSync('golden.fio', jobs.join(''));
  const { status, stderr } = spawnSync(fio, ['--output-format=json+', `--output=${json}`, 'golden.fio']);
  if (status !== 0) throw new Error(`fio has failed: ${stderr}`);
}

run('fio-3.33.json', [JOBS]);
renameSync('golden_clat_hist.1.log', 'fio-3.33_clat_hist.log');
run('joined.json', [JOBS.replace('[global]', '[global]\nlog_hist_coarseness=3')]);
renameSync('golden_clat_hist.1.log', 'fio-3.33_coarse_clat_hist.log');
for (const name of readdirSync('.')) if (!name.startsWith('fio-')) rmSync(name);
