import type { Context } from '../../kernel/work.ts'

const loadPerson = () => import('./person.ts')

interface CommandWords {
  rest: readonly string[]
}

/** The commands that an operator runs for one person. Source: GDPR, articles 15 and 17. */
export const personCommands = {
  'person export': {
    takes: '<email>|<phone>',
    does: 'Everything that is held about a person, as JSON.',
    rest: 1,
    run: async (context: Context, { rest: [person = ''] }: CommandWords) =>
      (await import('./export.ts')).exportPerson(context, (await loadPerson()).parseAddress(person)),
  },
  'person erase': {
    takes: '<email>|<phone>',
    does: 'Erases a person for good; their tokens stay where they are.',
    rest: 1,
    run: async (context: Context, { rest: [person = ''] }: CommandWords) =>
      (await import('./erase.ts')).erasePerson(context, (await loadPerson()).parseAddress(person)),
  },
  'person erase-listed': {
    takes: '',
    does: 'Erases again who was erased before, after a database was restored.',
    run: async (context: Context) => (await import('./erase.listed.ts')).eraseListedPersons(context),
  },
}
