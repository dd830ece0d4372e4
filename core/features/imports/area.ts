import { createEndedCondition, retentionReasons } from '../../queue/upkeep/retention.ts'
import { area } from '../area.ts'
import { eraseErrors, importJob } from './engine/index.ts'
import { intakeOperations } from './intake/index.ts'
import { countMappers, eraseMappers, mapperOperations, startSchedules } from './mappers/index.ts'
import { importProblemCodes } from './problem-codes.ts'
import { reportOperations } from './reports/index.ts'
import { deleteStaleUploads, eraseUploads } from './staging/index.ts'
import { suggestionOperations } from './suggest/index.ts'
import { tableOperations } from './tables/index.ts'

/** Files of records, the mappers that read them, and their reports. */
export const imports = area({
  name: 'imports',
  problemCodes: importProblemCodes,
  operations: [
    ...intakeOperations,
    ...tableOperations,
    ...reportOperations,
    ...mapperOperations,
    ...suggestionOperations,
  ],
  tags: {
    Imports: 'Files of passports and other records, their progress and their reports.',
    'Import mappers': 'How columns of a file become fields of records, by hand or at set times from an address.',
  },
  toolset: {
    name: 'imports',
    topics: 'files and mappers',
    paths: ['/v\\d+/imports?(/|$)'],
  },
  jobs: [importJob],
  applicationParts: async (trx, application) => [
    { noun: 'import mapper', count: await countMappers(trx, application) },
  ],
  organizationErasures: [eraseUploads, eraseErrors, eraseMappers],
  cleaning: [{ name: 'files of imports', run: deleteStaleUploads }],
  services: [startSchedules],
  retentions: ({ jobRetentionDays, importErrorRetentionDays }) => ({
    import_errors: { days: Math.min(importErrorRetentionDays, jobRetentionDays), ofJobs: createEndedCondition('j') },
    // Failed jobs leave these rows, which are needed if an operator retries such a job.
    import_keys: { days: jobRetentionDays, ofJobs: createEndedCondition('j') },
    imports: 'Go with their jobs.',
    import_uploads: 'Go when their import ends, or after an hour without one: deleteStaleUploads.',
    import_pieces: 'Go with their upload.',
    import_mappers: retentionReasons.organization,
  }),
})

declare module '../../kernel/words.ts' {
  interface JobTypes {
    import: true
  }
}
