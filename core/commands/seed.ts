import { contextOf } from '../context.ts'
import { withAdvisoryLock } from '../database/lock.ts'
import { createApplication, defaultNetwork } from '../features/applications/index.ts'
import { ensureCertificationKey } from '../features/certification/index.ts'
import { createKey, createOrganization, hashOf } from '../features/identity/index.ts'
import { everyPermission } from '../kernel/permission.ts'
import type { Context } from '../kernel/work.ts'
import type { Settings } from '../settings.ts'

/** What there is to try the product with. */
export interface Demo {
  organization: { id: string; name: string }
  application: { id: string; name: string }
  /** A key with every permission; null when it was made earlier with a secret of its own, which cannot be read again. */
  apiKey: string | null
  /** The e-mail address of the organization's owner. */
  signIn: string
}

const organizationName = 'Tessera Demo'
const slug = 'tessera-demo'
const applicationName = 'Demo Shop'
const keyName = 'Demo key'
const owner = 'demo@tessera.example'

/**
 * The demo organization with an application and a key; what is there already is left as it is, so a second run changes
 * nothing. BOOTSTRAP_API_KEY and BOOTSTRAP_APPLICATION_ID choose the key's secret and the application's id.
 */
export async function seedDemo(context: Context): Promise<Demo> {
  return withAdvisoryLock(context.db, lockNumber, async () => {
    const organization = await demoOrganization(context)
    const application = await demoApplication(context, organization.id)
    return { organization, application, apiKey: await demoKey(context, organization.id), signIn: owner }
  })
}

/** The demo by its ids. */
export interface Seeded { organization: string; application: string; apiKey: string; signIn: string }

/** The same with parts of its own, for a start that has none yet. @throws Error when the key's secret cannot be known */
export async function seed(settings: Settings): Promise<Seeded> {
  const { context, close } = await contextOf({ ...settings, redisUrl: undefined, logLevel: 'silent' }, 'seed')
  try {
    const { organization, application, apiKey, signIn } = await seedDemo(context)
    if (apiKey === null) throw new Error('The secret of the demo key cannot be read again: set BOOTSTRAP_API_KEY')
    return { organization: organization.id, application: application.id, apiKey, signIn }
  } finally {
    await close()
  }
}

async function demoOrganization(context: Context): Promise<Demo['organization']> {
  const known = await context.db('organizations').where({ slug }).first<Demo['organization'] | undefined>('id', 'name')
  if (known) return known
  const { id, name } = await createOrganization(context, { name: organizationName, owner, customerType: 'company' })
  await ensureCertificationKey(context, id)
  return { id, name }
}

async function demoApplication(context: Context, organization: string): Promise<Demo['application']> {
  const wanted = context.settings.bootstrapApplicationId
  const known = await context.db('applications').where({ organization })
    .where(wanted ? { id: wanted } : { name: applicationName }).orderBy('id')
    .first<Demo['application'] | undefined>('id', 'name')
  if (known) return known
  const values = { name: applicationName, features: ['dpp' as const], ...(wanted && { id: wanted }) }
  const { id, name } = await context.db.transaction((trx) =>
    createApplication(trx, organization, values, { network: defaultNetwork(context) }))
  return { id, name }
}

async function demoKey(context: Context, organization: string): Promise<string | null> {
  const { bootstrapApiKey, production } = context.settings
  const secret = production ? undefined : bootstrapApiKey
  const known = await context.db('api_keys').where({ organization })
    .where(secret ? { key: hashOf(secret) } : { name: keyName }).first('id')
  if (known) return secret ?? null
  const values = { organization, name: keyName, permissions: everyPermission }
  return (await createKey(context, { ...values, ...(secret && { secret }) })).key
}

/** A fixed number for the advisory lock of seeding: two that seed at the same time do it one after the other. */
const lockNumber = 7_364_202
