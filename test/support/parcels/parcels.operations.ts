import { newId } from '../../../core/database/model.ts'
import { readApplication } from '../../../core/features/applications/index.ts'
import { recordEvent } from '../../../core/features/events/index.ts'
import { AcceptedJob } from '../../../core/kernel/job.ts'
import { declareOperation, type Operation } from '../../../core/kernel/operation.ts'
import { createProblem } from '../../../core/kernel/problem.ts'
import { readParcel } from './parcels.ts'
import { NewParcel, Parcel } from './parcels.schema.ts'

const sendParcelOperation = declareOperation({
  id: 'send_parcel_v1',
  method: 'POST',
  path: '/v1/parcels',
  access: 'parcel:create',
  body: NewParcel,
  returns: { 202: AcceptedJob },
  execution: { startsJobType: 'weigh' },
  problemCodes: ['NOT_FOUND', 'PARCEL_TOO_HEAVY'],
  document: {
    summary: 'Send a parcel',
    tag: 'Parcels',
    description: 'It is weighed by a job.',
    mcpName: 'send_parcel',
  },
}).withTransactionHandler(async ({ body: { application, grams }, caller: { organization }, work }) => {
  if (grams > 30_000) throw createProblem('PARCEL_TOO_HEAVY', 'The parcel weighs more than 30 kg.')
  const { context, trx } = work
  await readApplication(work, application, { lock: 'forKeyShare' })
  const id = newId()
  await trx('parcels').insert({ id, organization, application, grams })
  await recordEvent(trx, { organization, application, subject: 'parcel', type: 'create' })
  const job = await context.queue.enqueue(trx, {
    type: 'weigh',
    organization,
    application,
    total: 1,
    payload: { id },
    countsTowardsLimit: true,
  })
  work.afterCommit(() => context.queue.notifyWorker(job))
  return { jobId: job }
})

const getParcelOperation = declareOperation({
  id: 'get_parcel_v1',
  method: 'GET',
  path: '/v1/parcels/:id',
  access: 'parcel:read',
  returns: { 200: Parcel },
  document: { tag: 'Parcels', summary: 'Read a parcel', mcpName: 'get_parcel' },
}).withReadHandler(({ caller, params, work }) => readParcel(work, caller.organization, params.id))

export const parcelOperations: Operation[] = [sendParcelOperation, getParcelOperation]
