import type { QuotaVerification } from '../../features/organization/index.ts'
import type { Command } from './admin.commands.ts'
import { runOnPatientDatabase } from './admin.patient.ts'
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
      return runOnPatientDatabase(settings, (db) =>
        verifyQuotas(db, registry.unitsReaders, organization ? parseId(organization, 'organization') : null),
      )
    },
    hasFailed: ({ differences }: QuotaVerification) => differences.length > 0,
  },
}
