import { assertSettings } from '../../app/settings.ts'
import { connectDatabase } from '../../database/connection.ts'
import type { Command } from './admin.commands.ts'
import { parseId } from './admin.values.ts'

/** The command with which operators check the ledger. */
export const ledgerCommands: Record<string, Command> = {
  'ledger verify': {
    takes: '[--organization <id>] [--chain]',
    does: 'Replays the entries, and names each number kept beside them, or on the chain, that differs.',
    options: ['organization'],
    flags: ['chain'],
    run: async ({ chains, settings }, { flags, options: { organization } }) => {
      const { verifyPoints } = await import('../../features/loyalty/index.ts')
      const { databaseUrl } = assertSettings(settings, 'databaseUrl')
      // The entries of years take longer than a statement of a request may.
      const db = connectDatabase({ url: databaseUrl, name: 'tessera-verify', maxConnections: 2, withoutTimeouts: true })
      try {
        return await verifyPoints(db, {
          ...(organization !== undefined && { organization: parseId(organization, 'organization') }),
          ...(flags.has('chain') && { chains }),
        })
      } finally {
        await db.destroy()
      }
    },
  },
}
