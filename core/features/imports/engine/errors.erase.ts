import type { OrganizationErasure } from '../../area.ts'
import { queryImportJobs } from '../intake/index.ts'

/** Deletes what imports of a deleted organization could not take: the values of rows stand there. */
export const eraseErrors: OrganizationErasure = ({ organization, limit, runStep }) =>
  runStep(async (trx) => {
    const ofOrganization = () => trx('import_errors').whereIn('job', queryImportJobs(trx, organization))
    return ofOrganization().whereIn('seq', ofOrganization().limit(limit).select('seq')).delete()
  })
