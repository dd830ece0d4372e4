import type { Command } from './admin.commands.ts'
import { runOnPatientDatabase } from './admin.patient.ts'
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
      return runOnPatientDatabase(settings, (db) =>
        verifyPoints(db, {
          ...(organization !== undefined && { organization: parseId(organization, 'organization') }),
          ...(flags.has('chain') && { chains }),
        }),
      )
    },
  },
}
