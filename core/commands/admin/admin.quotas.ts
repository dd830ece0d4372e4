import { assertSettings } from '../../app/settings.ts'
import { connectDatabase } from '../../database/connection.ts'
import type { Command } from './admin.commands.ts'
import { parseId } from './admin.values.ts'

/** The commands with which operators put organizations on plans, and check what was used. */
export const quotaCommands: Record<string, Command> = {
  'plan set': {
    takes: '--organization <id> --plan <plan>',
    does: 'Puts an organization on a plan, in running processes too; the audit trail keeps it.',
    options: ['organization!', 'plan!'],
    run: async (context, { options: { organization = '', plan = '' } }) => {
      const [{ getOperatorName }, { assignPlan }] = await Promise.all([
        import('../../features/audit/index.ts'),
        import('../../features/organization/index.ts'),
      ])
      return assignPlan(context, {
        organization: parseId(organization, 'organization'),
        plan,
        actor: getOperatorName(),
      })
    },
  },
  'quotas verify': {
    takes: '[--organization <id>]',
    options: ['organization'],
    does: 'Counts again what was used this month, and names each meter that differs; then it ends with 1.',
    run: async ({ settings }, { options: { organization } }) => {
      const [{ verifyQuotas }, { registry }] = await Promise.all([
        import('../../features/organization/index.ts'),
        import('../../app/registry.ts'),
      ])
      const { databaseUrl } = assertSettings(settings, 'databaseUrl')
      // The rows of a month take longer than a statement of a request may.
      const db = connectDatabase({ url: databaseUrl, name: 'tessera-verify', maxConnections: 1, withoutTimeouts: true })
      try {
        return await verifyQuotas(
          db,
          registry.unitsReaders,
          organization ? parseId(organization, 'organization') : null,
        )
      } finally {
        await db.destroy()
      }
    },
    hasFailed: (result) => (result as { differences: unknown[] }).differences.length > 0,
  },
}
