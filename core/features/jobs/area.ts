import { area } from '../area.ts'
import { jobOperations } from './jobs.operations.ts'

/** The status routes of the jobs of all areas. */
export const jobs = area({
  name: 'jobs',
  operations: (shared) => jobOperations(shared.jobs),
  // Jobs of a deleted organization have waited for its restore.
  organizationErasures: [
    ({ context, organization, limit, runStep }) =>
      runStep((trx) => context.queue.endWaitingJobs(trx, organization, limit)),
  ],
  tags: {
    Jobs: 'Work that goes on after its request was answered, read once or followed as a stream.',
  },
  toolset: {
    name: 'account',
    topics: 'jobs, events, quotas, billing',
    paths: ['/v\\d+/(jobs|events|quotas|admin|billing)(/|$)'],
  },
})
