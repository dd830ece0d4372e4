import { assertSettings } from '../../app/settings.ts'
import { connectDatabase } from '../../database/connection.ts'
import type { TrailCheck } from '../../features/audit/index.ts'
import type { Command } from './admin.commands.ts'
import { parseId } from './admin.values.ts'

/** The command with which operators check the audit trail. */
export const auditCommands: Record<string, Command> = {
  'audit verify': {
    takes: '[--organization <id>]',
    does: 'Walks the chains of the audit trail, and names each entry that was changed, removed, inserted or moved.',
    options: ['organization'],
    run: async ({ settings }, { options: { organization } }) => {
      const { verifyTrail } = await import('../../features/audit/index.ts')
      const { databaseUrl } = assertSettings(settings, 'databaseUrl')
      // The trail of a large organization takes longer than a statement of a request may.
      const db = connectDatabase({ url: databaseUrl, name: 'tessera-verify', maxConnections: 2, withoutTimeouts: true })
      try {
        return await verifyTrail(db, {
          ...(organization !== undefined && { organization: parseId(organization, 'organization') }),
        })
      } finally {
        await db.destroy()
      }
    },
    hasFailed: ({ differences }: TrailCheck) => differences.length > 0,
  },
}
