export { countFailedJobs, listFailedJobs, type ListedFailedJob, retryJob } from './failed-jobs.ts'
export { findJob, createJobStateSource, jobEntity } from './jobs.ts'
export { jobOperations } from './jobs.operations.ts'
export { presentJob, type JobRow } from '../../queue/engine/rows.ts'
