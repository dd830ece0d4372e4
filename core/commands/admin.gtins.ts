import { operatorName } from '../features/audit/index.ts'
import { assignGtin, listGtins } from '../features/dpp/index.ts'
import type { Command } from './admin.commands.ts'

/** What operators decide about GTINs. */
export const gtinCommands: Record<string, Command> = {
  'gtin list': {
    takes: '[--gtin <digits>]', does: 'Whose GTINs are: 100, those that are contested first.', options: ['gtin'],
    run: ({ db }, { options: { gtin } }) => listGtins(db, gtin),
  },
  'gtin assign': {
    takes: '<gtin> --organization <id>', does: 'Decides whose a GTIN is, and confirms it; the audit trail keeps it.',
    rest: 1, options: ['organization!'],
    run: ({ db }, { rest: [gtin = ''], options: { organization = '' } }) =>
      assignGtin(db, { gtin, organization, actor: operatorName() }),
  },
}
