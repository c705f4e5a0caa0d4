// Entry `@hdrscope/agent/internal`: for the other packages of hdrscope only. Names here may change in any release.
export { daemonFamilies } from './ceph-answers.ts';
export { CONFIG_TEMPLATE } from './config/template.ts';
