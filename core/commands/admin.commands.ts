import { notFound } from '../kernel/problem.ts'
import { isName } from '../kernel/text/characters.ts'
import type { Context } from '../kernel/work.ts'
import { gtinCommands } from './admin.gtins.ts'
import { listCommands } from './admin.lists.ts'
import type { Reader } from './admin.reader.ts'
import { email, id, instant, json, oneOf, refusal } from './admin.values.ts'
import { personCommands } from './persons/commands.ts'

// What a command does is loaded when it runs, so that the usage and the lists come at once.
const identity = () => import('../features/identity/index.ts')

/** What follows the words of a command: options by name, then what stands alone. */
export interface Given {
  options: Record<string, string | undefined>
  flags: ReadonlySet<string>
  rest: readonly string[]
}

interface Described {
  /** What follows the words, for the usage. */
  takes: string
  does: string
  /** Options with a value; those with `!` have to be there. */
  options?: readonly string[]
  flags?: readonly string[]
  /** How many words stand alone. */
  rest?: number
  /** Members of a list that people see; all unless stated. */
  columns?: readonly string[]
}

/** A command of operators on a database. What it returns is printed. */
export interface Command extends Described {
  run(context: Context, given: Given): Promise<unknown>
}

/** One that only reads, and needs nothing of the platform but its database. */
export interface ReadingCommand extends Described {
  read(reader: Reader, given: Given): Promise<unknown>
}

const text = (given: Given, name: string) => given.options[name] ?? ''

/** A name for people, under the rule that the API has for it. */
function name(given: Given): string {
  const value = text(given, 'name')
  if (isName(value) && value.length <= 200 && value.isWellFormed()) return value
  throw refusal('name', 'format', 'must be 1 to 200 characters, not all of them blank, none of them hidden')
}

async function existing(context: Context, organization: string): Promise<string> {
  const found = await context.db('organizations').where({ id: id(organization, 'organization') })
    .first<{ id: string } | undefined>('id')
  if (!found) throw notFound()
  return found.id
}

/** Every command by its words. */
export const commands: Record<string, Command | ReadingCommand> = {
  ...listCommands,
  'organization create': {
    takes: '--name <name> --owner <email> [--customer-type company|individual]',
    does: 'An organization with its first owner.',
    options: ['name!', 'owner!', 'customer-type'],
    run: async (context, given) => {
      const [{ createOrganization }, { ensureCertificationKey }] = await Promise.all([identity(), import('../features/certification/index.ts')])
      const made = await createOrganization(context, {
        name: name(given), owner: email(text(given, 'owner'), 'owner'),
        customerType: oneOf(['company', 'individual'], given.options['customer-type'], 'customer-type') ?? 'company',
      })
      await ensureCertificationKey(context, made.id)
      return made
    },
  },
  'application create': {
    takes: '--organization <id> --name <name>',
    does: 'An application of an organization.',
    options: ['organization!', 'name!'],
    run: async (context, given) => {
      const [{ createApplication, defaultNetwork }, { v7 }] = await Promise.all([import('../features/applications/index.ts'), import('uuid')])
      const organization = await existing(context, text(given, 'organization'))
      const made = await context.db.transaction((trx) => createApplication(
        trx, organization, { id: v7(), name: name(given) }, { network: defaultNetwork(context) }))
      return { id: made.id, name: made.name, slug: made.slug, organization, defaultNetwork: made.defaultNetwork }
    },
  },
  'api-key create': {
    takes: '--organization <id> --name <name> --permissions <json map> [--expires-at <instant>]',
    does: 'A key; its secret is shown this once.', options: ['organization!', 'name!', 'permissions!', 'expires-at'],
    run: async (context, given) => {
      const { createKey, readPermissions } = await identity()
      const permissions = readPermissions(json(text(given, 'permissions'), 'permissions'))
      const expiresAt = instant(given.options['expires-at'], 'expires-at')
      const organization = await existing(context, text(given, 'organization'))
      return createKey(context, { organization, name: name(given), permissions, expiresAt })
    },
  },
  'api-key revoke': {
    takes: '<id>', does: 'Ends a key, in running processes too.', rest: 1,
    run: async (context, { rest: [key = ''] }) =>
      ({ ...await (await identity()).revokeKey(context, id(key, 'id')), revoked: true }),
  },
  'session end': {
    takes: '--user <email>', does: 'Signs a person out everywhere, in running processes too.', options: ['user!'],
    run: async (context, given) => (await identity()).endSessionsOf(context.db, email(text(given, 'user'), 'user')),
  },
  'user super-admin': {
    takes: '<email> --on|--off',
    does: 'Makes a user a super-admin, or an ordinary one again.',
    rest: 1,
    flags: ['on', 'off'],
    run: async (context, { rest: [address = ''], flags }) => {
      if (flags.has('on') === flags.has('off')) throw refusal('on', 'required', 'give --on or --off')
      return (await identity()).setSuperAdmin(context, email(address, 'email'), flags.has('on'))
    },
  },
  ...personCommands,
  ...gtinCommands,
  'jobs retry': {
    takes: '<id>', does: 'Makes a failed job pending again.', rest: 1,
    run: async (context, { rest: [job = ''] }) => (await import('./admin.jobs.ts')).retryJob(context, id(job, 'id')),
  },
  cleanup: {
    takes: '', does: 'Removes now what the worker removes every hour, as it has been kept for its days.',
    run: async (context) => (await import('./cleanup.ts')).cleanUp(context),
  },
  'keys reseal': {
    takes: '', does: 'Seals all that is sealed again with the present keys, the signer\'s too, while everything runs.',
    run: async (context) => (await import('./admin.keys.ts')).resealAll(context),
  },
  'seed demo': {
    takes: '', does: 'A demo organization with an application and a key.', run: async (context) => (await import('./seed.ts')).seedDemo(context),
  },
}
