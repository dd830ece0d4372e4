import { createContext } from '../app/context.ts'
import { withAdvisoryLock } from '../database/lock.ts'
import { createApplication, findDefaultNetwork } from '../features/applications/index.ts'
import { ensureCertificationKey } from '../features/certification/index.ts'
import { createApiKey, createOrganization, hashSecret } from '../features/identity/index.ts'
import { allPermissions } from '../kernel/permission.ts'
import type { Context } from '../kernel/work.ts'
import type { Settings } from '../app/settings.ts'

/** What newcomers need to try the product. */
export interface Demo {
  organization: { id: string; name: string }
  application: { id: string; name: string }
  /** Key with every permission; null if the key was created earlier with a secret that cannot be read again. */
  apiKey: string | null
  /** E-mail address of the organization's owner. */
  signIn: string
}

const organizationName = 'Tessera Demo'
const slug = 'tessera-demo'
const applicationName = 'Demo Shop'
const keyName = 'Demo key'
const owner = 'demo@tessera.example'

/**
 * Creates the demo organization with an application and a key. Parts that already exist are left as they are, so a
 * second run changes nothing. BOOTSTRAP_API_KEY and BOOTSTRAP_APPLICATION_ID set the key's secret and the application's
 * id.
 */
export async function seedDemo(context: Context): Promise<Demo> {
  return withAdvisoryLock(context.db, lockNumber, async () => {
    const organization = await demoOrganization(context)
    const application = await demoApplication(context, organization.id)
    return { organization, application, apiKey: await demoKey(context, organization.id), signIn: owner }
  })
}

/** The demo, with the ids of its organization and application. */
export interface DemoIds {
  organization: string
  application: string
  apiKey: string
  signIn: string
}

/** Seeds the demo with a context of its own, for `npm start`. @throws Error if the key's secret cannot be read again */
export async function seedForStart(settings: Settings): Promise<DemoIds> {
  const { context, close } = await createContext({ ...settings, redisUrl: undefined, logLevel: 'silent' }, 'seed')
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
  const known = await context
    .db('applications')
    .where({ organization })
    .where(wanted ? { id: wanted } : { name: applicationName })
    .orderBy('id')
    .first<Demo['application'] | undefined>('id', 'name')
  if (known) return known
  const values = { name: applicationName, features: ['dpp' as const], ...(wanted && { id: wanted }) }
  const { id, name } = await context.db.transaction((trx) =>
    createApplication(trx, organization, values, { network: findDefaultNetwork(context) }),
  )
  return { id, name }
}

async function demoKey(context: Context, organization: string): Promise<string | null> {
  const { bootstrapApiKey, production } = context.settings
  const secret = production ? undefined : bootstrapApiKey
  const known = await context
    .db('api_keys')
    .where({ organization })
    .where(secret ? { key: hashSecret(secret) } : { name: keyName })
    .first('id')
  if (known) return secret ?? null
  // The areas declare what permissions there are. They are loaded for a new key only, as every start seeds.
  await import('../app/registry.ts')
  const values = { organization, name: keyName, permissions: allPermissions }
  return (await createApiKey(context, { ...values, ...(secret && { secret }) })).key
}

/** Number of the advisory lock of seeding. Two processes that seed at the same time do so one after the other. */
const lockNumber = 7_364_202
