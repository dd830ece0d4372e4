import { events } from '../../kernel/answer.ts'
import { Job, type JobDeclaration } from '../../kernel/job.ts'
import { operation, type Operation } from '../../kernel/operation.ts'
import { jobView } from '../../queue/rows.ts'
import { jobEvents, readableJob } from './jobs.ts'

const who = 'The buyer who started a job reads it, and who may read its area in the organization; '
  + 'to others it is not there.'

/** The status routes of every job. @param declarations tell which permission reads which type */
export function jobOperations(declarations: readonly JobDeclaration<unknown>[]): Operation[] {
  return [
    operation({
      id: 'get_job_v1',
      method: 'GET',
      path: '/v1/jobs/:jobId',
      summary: 'Read a job',
      description: who,
      tag: 'Jobs',
      access: 'signedIn',
      returns: { 200: Job },
      mcp: 'get_job',
    }).readBy(async ({ caller, params, work }) =>
      jobView(await readableJob(work.trx, caller, params.jobId, declarations))),

    operation({
      id: 'follow_job_v1',
      method: 'GET',
      path: '/v1/jobs/:jobId/sse',
      summary: 'Follow a job',
      description: `${who} Each event carries the same JSON as the status route; `
        + 'the stream ends when the job has ended.',
      tag: 'Jobs',
      access: 'signedIn',
      returns: {
        200: { type: 'text/event-stream', description: 'An event with the present state at once, then one a change.' },
      },
    }).readBy(async ({ caller, params, work }) => {
      await readableJob(work.trx, caller, params.jobId, declarations)
      return events(jobEvents(work.context, params.jobId))
    }),
  ]
}
