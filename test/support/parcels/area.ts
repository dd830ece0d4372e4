import { area } from '../../../core/features/area.ts'
import { actions } from '../../../core/kernel/permission.ts'
import { parcelOperations } from './parcels.operations.ts'
import { weighJob } from './parcels.jobs.ts'
import { parcelProblemCodes } from './problem-codes.ts'

/** A small area with one of everything, as a pattern for a new one: core/docs/how-to/area.md follows it. */
export const parcels = area({
  name: 'parcels',
  operations: parcelOperations,
  tags: { Parcels: 'What is sent to buyers.' },
  toolset: { name: 'parcels', topics: 'parcels and their weight', paths: ['/v\\d+/parcels(/|$)'] },
  jobs: [weighJob],
  events: { parcel: ['create'] },
  problemCodes: parcelProblemCodes,
  permissions: { parcel: { owner: actions, admin: actions, editor: ['read', 'create'], viewer: ['read'] } },
  retentions: () => ({ parcels: { days: 30, rows: 'r.weighed_at < :before' } }),
  applicationBlockers: [
    async (trx, application) => async () =>
      (await trx('parcels').where({ application }).first<{ id: string } | undefined>('id')) !== undefined,
  ],
})

declare module '../../../core/kernel/words.ts' {
  interface JobTypes {
    weigh: true
  }
  interface EventSubjects {
    parcel: 'create'
  }
  interface Resources {
    parcel: true
  }
}
