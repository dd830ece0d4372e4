import type { Knex } from 'knex'
import { mayActFor, type Caller } from '../../kernel/caller.ts'
import type { Context } from '../../kernel/work.ts'
import type { Application } from './applications.model.ts'
import { signInMethods, type ApplicationShape, type ApplicationView, type SignInMethod } from './applications.schema.ts'
import { loyaltyDefaults } from './settings.ts'

interface Reading { trx: Knex; context: Context }

/** Applications as their organization sees them, with the contracts deployed for them. All of one organization. */
export async function presentApplications(
  reading: Reading, applications: readonly Application[],
): Promise<ApplicationShape[]> {
  const [first] = applications
  if (!first) return []
  const contracts = await reading.context.chains.contracts(reading.trx, applications.map(({ id }) => id))
  const methods = await enabledMethods(reading.trx, first.organization)
  return applications.map((application) => ({
    ...shown(application, methods),
    organization: application.organization,
    dppSettings: {
      tokens: contracts.filter((contract) => contract.application === application.id)
        .map(({ address, name, symbol, network }) => ({ address, name, symbol, network })),
    },
    loyaltySettings: { tokens: [], ...loyaltyDefaults, ...application.loyaltySettings },
    createdAt: application.createdAt,
    updatedAt: application.updatedAt,
  }))
}

/** One application as its organization sees it. */
export async function presentApplication(reading: Reading, application: Application): Promise<ApplicationShape> {
  const [presented] = await presentApplications(reading, [application])
  return presented as ApplicationShape
}

/** One application as this caller may see it. */
export async function presentTo(caller: Caller, reading: Reading, application: Application): Promise<ApplicationView> {
  if (mayActFor(caller, application.organization, 'application:read')) return presentApplication(reading, application)
  return shown(application, await enabledMethods(reading.trx, application.organization))
}

function shown(application: Application, methods: SignInMethod[]) {
  const { id, name, slug, domains, websiteUrl, features, defaultNetwork, theme } = application
  return { id, name, slug, domains, websiteUrl, features, defaultNetwork, theme, signInMethods: methods }
}

/** Sign-in methods that an organization has turned on, in a fixed order. */
export async function enabledMethods(trx: Knex, organization: string): Promise<SignInMethod[]> {
  const row = await trx('organizations').where({ id: organization }).first('settings') as
    { settings: { authConfig?: Partial<Record<SignInMethod, { enabled?: boolean }>> } } | undefined
  return signInMethods.filter((method) => row?.settings.authConfig?.[method]?.enabled === true)
}

/** Applications of an organization by name, for a choice. */
export async function applicationChoices(trx: Knex, organization: string): Promise<{ id: string; name: string }[]> {
  return trx('applications').where({ organization }).orderBy(['name', 'id']).limit(1_000).select<{ id: string; name: string }[]>('id', 'name')
}
