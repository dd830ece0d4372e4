import { answerEvents } from '../../kernel/answer.ts'
import { Job, type JobDeclaration } from '../../kernel/job.ts'
import { declareOperation, type Operation } from '../../kernel/operation.ts'
import { presentJob } from '../../queue/engine/rows.ts'
import { createJobStateSource, readJob, jobEntity } from './jobs.ts'

const readersText =
  'The buyer who started a job reads it, and who may read its area in the organization; ' + 'to others it is not there.'

/**
 * Creates the status routes of all jobs.
 * @param declarations the job types with the permission that reading each needs
 */
export function jobOperations(declarations: readonly JobDeclaration<unknown>[]): Operation[] {
  return [
    declareOperation({
      id: 'get_job_v1',
      method: 'GET',
      path: '/v1/jobs/:jobId',
      access: 'signedIn',
      scope: { params: { jobId: jobEntity } },
      returns: { 200: Job },
      document: { tag: 'Jobs', summary: 'Read a job', description: readersText, mcpName: 'get_job' },
    }).withReadHandler(async ({ caller, params, work }) =>
      presentJob(await readJob(work.trx, caller, params.jobId, declarations)),
    ),

    declareOperation({
      id: 'follow_job_v1',
      method: 'GET',
      path: '/v1/jobs/:jobId/sse',
      access: 'signedIn',
      scope: { params: { jobId: jobEntity } },
      returns: {
        200: { type: 'text/event-stream', description: 'An event with the present state at once, then one a change.' },
      },
      document: {
        tag: 'Jobs',
        summary: 'Follow a job',
        description:
          `${readersText} Each event carries the same JSON as the status route; `
          + 'the stream ends when the job has ended.',
      },
    }).withReadHandler(async ({ caller, params, work }) => {
      await readJob(work.trx, caller, params.jobId, declarations)
      return answerEvents(createJobStateSource(work.context, params.jobId))
    }),
  ]
}
