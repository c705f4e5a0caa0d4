// Entry `@hdrscope/kit/files`: files of Node.js that survive the end of a process, and locks against other processes.
export { lockName } from './lock.ts';
export { type FileParts, type NewFile, replaceFile, replaceFiles } from './replace-file.ts';
export { codeOf, isMissing, type OpensFiles, type RemovesFiles, removeFile, syncFolder } from './sync.ts';
