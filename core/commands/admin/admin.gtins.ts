import type { Command, ReadingCommand } from './admin.commands.ts'

/** The commands with which operators decide about GTINs. */
export const gtinCommands: Record<string, Command | ReadingCommand> = {
  'gtin list': {
    takes: '[--gtin <digits>]',
    does: 'Whose GTINs are: 100, those that are contested first.',
    options: ['gtin'],
    async read(reader, { options: { gtin } }) {
      const [{ createGtinListingSql }, { parseGtin }] = await Promise.all([
        import('../../features/dpp/gs1/listing.ts'),
        import('../../features/dpp/gs1/parse.ts'),
      ])
      return reader.rows(createGtinListingSql('$1'), [gtin === undefined ? null : parseGtin(gtin)])
    },
  },
  'gtin assign': {
    takes: '<gtin> --organization <id>',
    does: 'Decides whose a GTIN is, and confirms it; the audit trail keeps it.',
    rest: 1,
    options: ['organization!'],
    run: async ({ db }, { rest: [gtin = ''], options: { organization = '' } }) => {
      const [{ getOperatorName }, { assignGtin }] = await Promise.all([
        import('../../features/audit/index.ts'),
        import('../../features/dpp/index.ts'),
      ])
      return assignGtin(db, { gtin, organization, actor: getOperatorName() })
    },
  },
}
