import type { Command } from './admin.commands.ts'

/** What operators decide about GTINs. */
export const gtinCommands: Record<string, Command> = {
  'gtin list': {
    takes: '[--gtin <digits>]', does: 'Whose GTINs are: 100, those that are contested first.', options: ['gtin'],
    run: async ({ db }, { options: { gtin } }) => (await import('../features/dpp/index.ts')).listGtins(db, gtin),
  },
  'gtin assign': {
    takes: '<gtin> --organization <id>', does: 'Decides whose a GTIN is, and confirms it; the audit trail keeps it.',
    rest: 1, options: ['organization!'],
    run: async ({ db }, { rest: [gtin = ''], options: { organization = '' } }) => {
      const [{ operatorName }, { assignGtin }] = await Promise.all([
        import('../features/audit/index.ts'), import('../features/dpp/index.ts'),
      ])
      return assignGtin(db, { gtin, organization, actor: operatorName() })
    },
  },
}
