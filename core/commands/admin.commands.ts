import { v7 } from 'uuid'
import { createApplication, defaultNetwork } from '../features/applications/index.ts'
import { ensureCertificationKey } from '../features/certification/index.ts'
import { createKey, createOrganization, endSessionsOf, readPermissions, revokeKey, setSuperAdmin } from '../features/identity/index.ts'
import { jobStatuses } from '../kernel/job.ts'
import { invalid, notFound } from '../kernel/problem.ts'
import { isName } from '../kernel/text/characters.ts'
import type { Context } from '../kernel/work.ts'
import { gtinCommands } from './admin.gtins.ts'
import { listJobs, retryJob } from './admin.jobs.ts'
import { resealAll } from './admin.keys.ts'
import { personCommands } from './persons/commands.ts'
import { seedDemo } from './seed.ts'

/** What follows the words of a command: options by name, then what stands alone. */
export interface Given {
  options: Record<string, string | undefined>
  flags: ReadonlySet<string>
  rest: readonly string[]
}

/** A command of operators on a database. What it returns is printed. */
export interface Command {
  /** What follows the words, for the usage. */
  takes: string
  does: string
  /** Options with a value; those with `!` have to be there. */
  options?: readonly string[]
  flags?: readonly string[]
  /** How many words stand alone. */
  rest?: number
  run(context: Context, given: Given): Promise<unknown>
}

const text = (given: Given, name: string) => given.options[name] ?? ''

const refusal = (path: string, code: string, message: string) => invalid([{ path, code, message }])

function id(value: string, path: string): string {
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value)) throw refusal(path, 'format', 'must be a UUID')
  return value.toLowerCase()
}

function email(value: string, path: string): string {
  if (!/^[^\s@]+@[^\s@]+$/.test(value)) throw refusal(path, 'format', 'must be an e-mail address')
  return value
}

function oneOf<const V extends readonly string[]>(
  values: V, value: string | undefined, path: string,
): V[number] | undefined {
  if (value === undefined || values.includes(value)) return value
  throw refusal(path, 'enum', `must be one of ${values.join(', ')}`)
}

function instant(value: string | undefined, path: string): Date | null {
  if (value === undefined) return null
  const at = new Date(/^\d{4}-\d\d-\d\dT.*(Z|[+-]\d\d:\d\d)$/.test(value) ? value : NaN)
  if (Number.isNaN(at.getTime())) throw refusal(path, 'format', 'must be as 2030-01-31T00:00:00Z')
  return at
}

/** A name for people, under the rule that the API has for it. */
function name(given: Given): string {
  const value = text(given, 'name')
  if (isName(value) && value.length <= 200 && value.isWellFormed()) return value
  throw refusal('name', 'format', 'must be 1 to 200 characters, not all of them blank, none of them hidden')
}

function json(value: string, path: string): unknown {
  try {
    return JSON.parse(value)
  } catch {
    throw refusal(path, 'json', 'is not well-formed JSON')
  }
}

async function existing(context: Context, organization: string): Promise<string> {
  const found = await context.db('organizations').where({ id: id(organization, 'organization') })
    .first<{ id: string } | undefined>('id')
  if (!found) throw notFound()
  return found.id
}

/** Every command by its words. */
export const commands: Record<string, Command> = {
  'organization create': {
    takes: '--name <name> --owner <email> [--customer-type company|individual]',
    does: 'An organization with its first owner.',
    options: ['name!', 'owner!', 'customer-type'],
    run: async (context, given) => {
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
      const permissions = readPermissions(json(text(given, 'permissions'), 'permissions'))
      const expiresAt = instant(given.options['expires-at'], 'expires-at')
      const organization = await existing(context, text(given, 'organization'))
      return createKey(context, { organization, name: name(given), permissions, expiresAt })
    },
  },
  'api-key revoke': {
    takes: '<id>', does: 'Ends a key, in running processes too.', rest: 1,
    run: async (context, { rest: [key = ''] }) => ({ ...await revokeKey(context, id(key, 'id')), revoked: true }),
  },
  'session end': {
    takes: '--user <email>', does: 'Signs a person out everywhere, in running processes too.', options: ['user!'],
    run: (context, given) => endSessionsOf(context.db, email(text(given, 'user'), 'user')),
  },
  'user super-admin': {
    takes: '<email> --on|--off',
    does: 'Makes a user a super-admin, or an ordinary one again.',
    rest: 1,
    flags: ['on', 'off'],
    run: (context, { rest: [address = ''], flags }) => {
      if (flags.has('on') === flags.has('off')) throw refusal('on', 'required', 'give --on or --off')
      return setSuperAdmin(context, email(address, 'email'), flags.has('on'))
    },
  },
  ...personCommands,
  ...gtinCommands,
  'jobs list': {
    takes: '[--status pending|completed|failed]', does: 'The 100 newest jobs.', options: ['status'],
    run: (context, given) => listJobs(context.db, oneOf(jobStatuses, given.options['status'], 'status')),
  },
  'jobs retry': {
    takes: '<id>', does: 'Makes a failed job pending again.', rest: 1,
    run: (context, { rest: [job = ''] }) => retryJob(context, id(job, 'id')),
  },
  'keys reseal': {
    takes: '', does: 'Seals all that is sealed again with the present keys, the signer\'s too, while everything runs.',
    run: (context) => resealAll(context),
  },
  'seed demo': {
    takes: '', does: 'A demo organization with an application and a key.', run: (context) => seedDemo(context),
  },
}
