import type { OrganizationErasure } from '../../area.ts'
import { ImportModel } from '../intake/index.ts'

/** Deletes what imports of a deleted organization could not take: the values of rows stand there. */
export const eraseErrors: OrganizationErasure = ({ organization, limit, runStep }) =>
  runStep(async (trx) => {
    const jobs = ImportModel.query(trx).where({ organization }).select('job')
    return trx('import_errors')
      .whereIn('job', jobs.toKnexQuery())
      .whereIn('seq', trx('import_errors').whereIn('job', jobs.toKnexQuery()).limit(limit).select('seq'))
      .delete()
  })
