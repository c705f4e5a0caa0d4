export { askTypes, proveRewriting } from './ask-claims.ts';
export { migrateQueries } from './migrate-queries.ts';
