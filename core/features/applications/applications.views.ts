import type { Knex } from 'knex'
import type { DeployedContract } from '../../chains/port.ts'
import { mayActFor, type Caller } from '../../kernel/caller.ts'
import type { Context } from '../../kernel/work.ts'
import type { Application } from './applications.model.ts'
import {
  signInMethods,
  type ApplicationFeature,
  type ApplicationShape,
  type ApplicationView,
  type SignInMethod,
} from './applications.schema.ts'
import { loyaltyDefaults } from './settings.ts'
import { listAdjustments } from './themes/colours.ts'

interface ReadContext {
  trx: Knex
  context: Context
}

/** Returns applications of one organization as that organization sees them, with the contracts deployed for them. */
export async function presentApplications(
  readContext: ReadContext,
  applications: readonly Application[],
): Promise<ApplicationShape[]> {
  const [first] = applications
  if (!first) return []
  const contracts = await readContext.context.chains.listDeployedContracts(
    readContext.trx,
    applications.map(({ id }) => id),
  )
  const methods = await listEnabledSignInMethods(readContext.trx, first.organization)
  return applications.map((application) => ({
    ...presentPublicMembers(application, methods),
    ...presentAdjustments(application),
    organization: application.organization,
    dppSettings: { tokens: presentTokens(contracts, application, 'passports') },
    loyaltySettings: {
      tokens: presentTokens(contracts, application, 'points'),
      ...loyaltyDefaults,
      ...application.loyaltySettings,
    },
    createdAt: application.createdAt,
    updatedAt: application.updatedAt,
  }))
}

/** Returns which colours pages show in another shade, so that the brand is told; nothing if they show all as they are. */
function presentAdjustments({ theme }: Application) {
  const themeAdjustments = listAdjustments(theme)
  return themeAdjustments.length > 0 && { themeAdjustments }
}

/** Returns the contracts of one kind that are deployed for an application. */
const presentTokens = (contracts: readonly DeployedContract[], { id }: Application, kind: DeployedContract['kind']) =>
  contracts
    .filter((contract) => contract.application === id && contract.kind === kind)
    .map(({ address, name, symbol, network }) => ({ address, name, symbol, network }))

/** Returns one application as its organization sees it. */
export async function presentApplication(
  readContext: ReadContext,
  application: Application,
): Promise<ApplicationShape> {
  const [presented] = await presentApplications(readContext, [application])
  return presented as ApplicationShape
}

/** Returns one application as this caller may see it. */
export async function presentApplicationTo(
  caller: Caller,
  readContext: ReadContext,
  application: Application,
): Promise<ApplicationView> {
  if (mayActFor(caller, application.organization, 'application:read'))
    return presentApplication(readContext, application)
  return presentPublicMembers(application, await listEnabledSignInMethods(readContext.trx, application.organization))
}

function presentPublicMembers(application: Application, methods: SignInMethod[]) {
  const { id, name, slug, domains, websiteUrl, features, defaultNetwork, theme } = application
  return { id, name, slug, domains, websiteUrl, features, defaultNetwork, theme, signInMethods: methods }
}

/** Lists the sign-in methods that an organization has enabled, in a fixed order; none once it was deleted. */
export async function listEnabledSignInMethods(trx: Knex, organization: string): Promise<SignInMethod[]> {
  const row = (await trx('organizations').where({ id: organization }).whereNull('deleted_at').first('settings')) as
    { settings: { authConfig?: Partial<Record<SignInMethod, { enabled?: boolean }>> } } | undefined
  return signInMethods.filter((method) => row?.settings.authConfig?.[method]?.enabled === true)
}

/** Lists the applications of an organization by name, at most 1,000, for a choice in a form. */
export async function listApplicationChoices(trx: Knex, organization: string): Promise<{ id: string; name: string }[]> {
  return trx('applications')
    .where({ organization })
    .orderBy(['name', 'id'])
    .limit(1_000)
    .select<{ id: string; name: string }[]>('id', 'name')
}

/** Reads the names of applications, by their ids. One that is gone has none. */
export async function readApplicationNames(trx: Knex, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map()
  const rows = await trx('applications').whereIn('id', ids).select<{ id: string; name: string }[]>('id', 'name')
  return new Map(rows.map(({ id, name }) => [id, name]))
}

/** Lists the identifiers of all applications of an organization. */
export async function listApplicationIds(trx: Knex, organization: string): Promise<string[]> {
  return trx('applications').where({ organization }).orderBy('id').pluck<string[]>('id')
}

/** Whether an application of an organization uses a feature. */
export async function isFeatureUsed(trx: Knex, organization: string, feature: ApplicationFeature): Promise<boolean> {
  const found: unknown = await trx('applications')
    .where({ organization })
    .whereRaw('? = any(features)', [feature])
    .first('id')
  return found !== undefined
}
