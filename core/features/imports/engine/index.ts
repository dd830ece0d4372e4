export { importJob } from './imports.jobs.ts'
export { eraseErrors } from './errors.erase.ts'
