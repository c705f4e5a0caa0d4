// Entry `@hdrscope/agent/internal`: for the other packages of hdrscope only. Names here may change in any release.
export { CONFIG_TEMPLATE } from './config/template.ts';
