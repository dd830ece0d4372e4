export { findJob, jobEvents } from './jobs.ts'
export { jobOperations } from './jobs.operations.ts'
export { jobView, type JobRow } from '../../queue/rows.ts'
