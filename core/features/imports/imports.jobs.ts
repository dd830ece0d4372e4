import { job } from '../../kernel/job.ts'

export const importJob = job<object>({
  type: 'import',
  permission: 'dpp:read',
  attempts: 20,
  async run() {
    return { status: 'failed', code: 'IMPORT_FAILED', message: 'is being built' }
  },
})
