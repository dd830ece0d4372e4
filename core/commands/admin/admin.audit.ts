import type { TrailCheck } from '../../features/audit/index.ts'
import type { Command } from './admin.commands.ts'
import { runOnPatientDatabase } from './admin.patient.ts'
import { parseId } from './admin.values.ts'

/** The command with which operators check the audit trail. */
export const auditCommands: Record<string, Command> = {
  'audit verify': {
    takes: '[--organization <id>] [--chain]',
    does: 'Walks the chains of the audit trail, and names each entry that was changed, removed, inserted or moved. --chain asks the nodes for the roots, too.',
    options: ['organization'],
    flags: ['chain'],
    run: async ({ settings, chains }, { options: { organization }, flags }) => {
      const { verifyTrail } = await import('../../features/audit/index.ts')
      return runOnPatientDatabase(settings, (db) =>
        verifyTrail(db, {
          organization: organization === undefined ? undefined : parseId(organization, 'organization'),
          readAnchorTime: flags.has('chain') ? (network, root) => chains.readAnchorTime(db, network, root) : undefined,
        }),
      )
    },
    hasFailed: ({ differences }: TrailCheck) => differences.length > 0,
  },
}
