import { createNotFoundProblem } from '../../kernel/problem.ts'
import { isName } from '../../kernel/text/characters.ts'
import type { Context } from '../../kernel/work.ts'
import { auditCommands } from './admin.audit.ts'
import { gtinCommands } from './admin.gtins.ts'
import { ledgerCommands } from './admin.ledger.ts'
import { listCommands } from './admin.lists.ts'
import { quotaCommands } from './admin.quotas.ts'
import type { DatabaseReader } from './admin.reader.ts'
import { parseEmail, parseId, parseInstant, parseJson, parseOneOf, createRefusal } from './admin.values.ts'
import { personCommands } from '../persons/commands.ts'

// The code of a command is loaded when the command runs, so that the usage and the lists appear at once.
const loadIdentity = () => import('../../features/identity/index.ts')

/** The input after the words of a command: options by name, flags, and words that stand alone. */
export interface CommandInput {
  options: Record<string, string | undefined>
  flags: ReadonlySet<string>
  rest: readonly string[]
}

interface CommandDescription {
  /** Arguments after the words, for the usage. */
  takes: string
  does: string
  /** Names of the options with a value. A name that ends with `!` is required. */
  options?: readonly string[]
  flags?: readonly string[]
  /** Number of words that stand alone. */
  rest?: number
  /** Columns of a list that people see; all columns if not set. */
  columns?: readonly string[]
}

/** A command of operators that runs on a database. Its result is printed. */
export interface Command extends CommandDescription {
  run(context: Context, given: CommandInput): Promise<unknown>
  /** Whether the command ends with 1 although its result is printed, as a check that finds something does. */
  hasFailed?(result: never): boolean
}

/** A command that only reads, and that needs nothing of the platform except the database. */
export interface ReadingCommand extends CommandDescription {
  read(reader: DatabaseReader, given: CommandInput): Promise<unknown>
}

const getOption = (given: CommandInput, name: string) => given.options[name] ?? ''

/** Parses a name for people by the same rule as the API. */
function parseName(given: CommandInput): string {
  const value = getOption(given, 'name')
  if (isName(value) && value.length <= 200 && value.isWellFormed()) return value
  throw createRefusal('name', 'format', 'must be 1 to 200 characters, not all of them blank, none of them hidden')
}

/** Returns the identifier of an organization that is there. @throws NOT_FOUND also for one that was deleted */
async function readOrganizationId(context: Context, organization: string): Promise<string> {
  const found = await context
    .db('organizations')
    .where({ id: parseId(organization, 'organization') })
    .whereNull('deleted_at')
    .first<{ id: string } | undefined>('id')
  if (!found) throw createNotFoundProblem()
  return found.id
}

/** All commands by their words. */
export const commands: Record<string, Command | ReadingCommand> = {
  ...listCommands,
  'organization create': {
    takes: '--name <name> --owner <email> [--customer-type company|individual]',
    does: 'An organization with its first owner.',
    options: ['name!', 'owner!', 'customer-type'],
    run: async (context, given) => {
      const [{ createOrganization }, { ensureCertificationKey }] = await Promise.all([
        loadIdentity(),
        import('../../features/certification/index.ts'),
      ])
      const made = await createOrganization(context, {
        name: parseName(given),
        owner: parseEmail(getOption(given, 'owner'), 'owner'),
        customerType:
          parseOneOf(['company', 'individual'], given.options['customer-type'], 'customer-type') ?? 'company',
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
      const [{ createApplication, findDefaultNetwork }, { v7 }] = await Promise.all([
        import('../../features/applications/index.ts'),
        import('uuid'),
      ])
      const organization = await readOrganizationId(context, getOption(given, 'organization'))
      const made = await context.db.transaction((trx) =>
        createApplication(
          trx,
          organization,
          { id: v7(), name: parseName(given) },
          { network: findDefaultNetwork(context) },
        ),
      )
      return { id: made.id, name: made.name, slug: made.slug, organization, defaultNetwork: made.defaultNetwork }
    },
  },
  'api-key create': {
    takes: '--organization <id> --name <name> --permissions <json map> [--scope <json>] [--expires-at <instant>]',
    does: 'A key, of one application with --scope {"application": id}; its secret is shown this once.',
    options: ['organization!', 'name!', 'permissions!', 'scope', 'expires-at'],
    run: async (context, given) => {
      const { createApiKey, parseKeyScope, parsePermissions } = await loadIdentity()
      const permissions = parsePermissions(parseJson(getOption(given, 'permissions'), 'permissions'))
      const { scope } = given.options
      const application = scope === undefined ? null : parseKeyScope(parseJson(scope, 'scope'))
      const expiresAt = parseInstant(given.options['expires-at'], 'expires-at')
      const organization = await readOrganizationId(context, getOption(given, 'organization'))
      return createApiKey(context, { organization, name: parseName(given), permissions, application, expiresAt })
    },
  },
  'api-key revoke': {
    takes: '<id>',
    does: 'Ends a key, in running processes too.',
    rest: 1,
    run: async (context, { rest: [key = ''] }) => ({
      ...(await (await loadIdentity()).revokeApiKey(context, parseId(key, 'id'))),
      revoked: true,
    }),
  },
  'session end': {
    takes: '--user <email>',
    does: 'Signs a person out everywhere, in running processes too.',
    options: ['user!'],
    run: async (context, given) =>
      (await loadIdentity()).endSessionsOfUser(context.db, parseEmail(getOption(given, 'user'), 'user')),
  },
  'user super-admin': {
    takes: '<email> --on|--off',
    does: 'Makes a user a super-admin, or an ordinary one again.',
    rest: 1,
    flags: ['on', 'off'],
    run: async (context, { rest: [address = ''], flags }) => {
      if (flags.has('on') === flags.has('off')) throw createRefusal('on', 'required', 'give --on or --off')
      return (await loadIdentity()).setSuperAdmin(context, parseEmail(address, 'email'), flags.has('on'))
    },
  },
  ...personCommands,
  ...gtinCommands,
  ...ledgerCommands,
  ...quotaCommands,
  ...auditCommands,
  'jobs retry': {
    takes: '<id>',
    does: 'Makes a failed job pending again.',
    rest: 1,
    run: async (context, { rest: [job = ''] }) =>
      (await import('./admin.jobs.ts')).retryJob(context, parseId(job, 'id')),
  },
  cleanup: {
    takes: '',
    does: 'Removes now what the worker removes every hour, as it has been kept for its days.',
    run: async (context) => (await import('./cleanup.ts')).runCleanup(context),
  },
  'keys reseal': {
    takes: '',
    does: "Seals all that is sealed again with the present keys, the signer's too, while everything runs.",
    run: async (context) => (await import('./admin.keys.ts')).resealAll(context),
  },
  'seed demo': {
    takes: '',
    does: 'A demo organization with an application and a key.',
    run: async (context) => (await import('../seed.ts')).seedDemo(context),
  },
}
