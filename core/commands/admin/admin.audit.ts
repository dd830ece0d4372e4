import type { TrailCheck } from '../../features/audit/index.ts'
import type { Command } from './admin.commands.ts'
import { runOnPatientDatabase } from './admin.patient.ts'
import { parseId } from './admin.values.ts'

/** The command with which operators check the audit trail. */
export const auditCommands: Record<string, Command> = {
  'audit verify': {
    takes: '[--organization <id>]',
    does: 'Walks the chains of the audit trail, and names each entry that was changed, removed, inserted or moved.',
    options: ['organization'],
    run: async ({ settings }, { options: { organization } }) => {
      const { verifyTrail } = await import('../../features/audit/index.ts')
      return runOnPatientDatabase(settings, (db) =>
        verifyTrail(db, {
          ...(organization !== undefined && { organization: parseId(organization, 'organization') }),
        }),
      )
    },
    hasFailed: ({ differences }: TrailCheck) => differences.length > 0,
  },
}
