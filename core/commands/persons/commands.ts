import type { Context } from '../../kernel/work.ts'

const reading = () => import('./person.ts')

interface Words { rest: readonly string[] }

/** What an operator does for one person. Source: GDPR, articles 15 and 17. */
export const personCommands = {
  'person export': {
    takes: '<email>|<phone>', does: 'Everything that is held about a person, as JSON.', rest: 1,
    run: async (context: Context, { rest: [person = ''] }: Words) =>
      (await import('./export.ts')).exportPerson(context, (await reading()).readAddress(person)),
  },
  'person erase': {
    takes: '<email>|<phone>', does: 'Erases a person for good; their tokens stay where they are.', rest: 1,
    run: async (context: Context, { rest: [person = ''] }: Words) =>
      (await import('./erase.ts')).erasePerson(context, (await reading()).readAddress(person)),
  },
  'person erase-listed': {
    takes: '', does: 'Erases again who was erased before, after a database was restored.',
    run: async (context: Context) => (await import('./erase.listed.ts')).eraseListed(context),
  },
}
