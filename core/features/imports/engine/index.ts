export { importJob } from './imports.jobs.ts'
