import type { Context } from '../../kernel/work.ts'
import { eraseListed } from './erase.listed.ts'
import { erasePerson } from './erase.ts'
import { exportPerson } from './export.ts'
import { readAddress } from './person.ts'

interface Words { rest: readonly string[] }

/** What an operator does for one person. Source: GDPR, articles 15 and 17. */
export const personCommands = {
  'person export': {
    takes: '<email>|<phone>', does: 'Everything that is held about a person, as JSON.', rest: 1,
    run: (context: Context, { rest: [person = ''] }: Words) => exportPerson(context, readAddress(person)),
  },
  'person erase': {
    takes: '<email>|<phone>', does: 'Erases a person for good; their tokens stay where they are.', rest: 1,
    run: (context: Context, { rest: [person = ''] }: Words) => erasePerson(context, readAddress(person)),
  },
  'person erase-listed': {
    takes: '', does: 'Erases again who was erased before, after a database was restored.', run: (context: Context) => eraseListed(context),
  },
}
