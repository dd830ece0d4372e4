import { isDeepStrictEqual } from 'node:util'
import { UniqueViolationError } from 'objection'
import type { KeyCaller, MemberCaller, OrganizationCaller } from '../../../kernel/caller.ts'
import { mergePatch } from '../../../kernel/json/merge-patch.ts'
import { createProblem, type Issue, type ProblemError } from '../../../kernel/problem.ts'
import { isLocale } from '../../../kernel/text/locales.ts'
import { isTimeZone } from '../../../kernel/text/time-zones.ts'
import type { Work } from '../../../kernel/work.ts'
import { recordAct } from '../acts/acts.ts'
import { offersGoogle } from '../providers/providers.ts'
import { assertActive, createCrossAccessProblem } from './access.ts'
import { OrganizationModel } from './organizations.model.ts'
import type { OrganizationPatch, OrganizationShape } from './organizations.schema.ts'
import { listSecretNames, storeSecret } from './organizations.secrets.ts'
import type { OrganizationSettingsPatch, StoredSettings } from './organizations.settings.ts'

/** Returns an organization as its members see it, without its secrets. */
export async function presentOrganization(
  { trx }: Pick<Work, 'trx'>,
  row: OrganizationModel,
): Promise<OrganizationShape> {
  const { id, name, slug, customerType, preferredCurrency, timeZone, locale, settings, createdAt, updatedAt } = row
  const secrets = await listSecretNames(trx, id)
  const auth0 = { ...settings.authConfig.auth0, hasClientSecret: secrets.includes('auth0ClientSecret') }
  return {
    id,
    name,
    slug,
    customerType,
    preferredCurrency,
    timeZone,
    locale,
    settings: { authConfig: { ...settings.authConfig, auth0 } },
    createdAt,
    updatedAt,
  }
}

/**
 * Reads an organization: the one of the key, one of the member's, or any for an operator of the platform.
 * @throws ORG_CROSS_ACCESS_DENIED for every other one, whether it exists or not
 */
export async function readOrganization(
  work: Pick<Work, 'trx'>,
  caller: KeyCaller | MemberCaller,
  id: string,
): Promise<OrganizationShape> {
  const query = OrganizationModel.query(work.trx).findById(id)
  const row = await (caller.kind === 'key'
    ? query.where('organizations.id', caller.organization)
    : query.modify('readableBy', caller.user))
  if (!row) throw createCrossAccessProblem()
  return presentOrganization(work, row)
}

/**
 * Changes the organization that the caller acts for.
 * @param precondition is checked while the organization is locked
 * @throws ORG_CROSS_ACCESS_DENIED for another organization, INVALID_REQUEST, PRECONDITION_FAILED,
 * ORG_PREFERRED_CURRENCY_SET for another currency than the one that was chosen, ORG_SLUG_TAKEN
 */
export async function changeOrganization(
  work: Work,
  caller: OrganizationCaller,
  { id, patch, precondition }: { id: string; patch: OrganizationPatch; precondition(shape: unknown): void },
): Promise<OrganizationShape> {
  assertActive(caller, id)
  const present = await OrganizationModel.query(work.trx).findById(caller.organization).forNoKeyUpdate()
  if (!present || present.deletedAt !== null) throw createCrossAccessProblem()
  precondition(await presentOrganization(work, present))
  const { settings, preferredCurrency, ...plain } = patch
  const currency = preferredCurrency ?? present.preferredCurrency
  if (present.preferredCurrency !== null && currency !== present.preferredCurrency)
    throw createProblem('ORG_PREFERRED_CURRENCY_SET', `The currency is ${present.preferredCurrency} and stays so.`, {
      path: 'preferredCurrency',
    })
  const { stored: mergedSettings, secret } = mergeSettings(present.settings, settings)
  const before = pickWritable(present)
  const after = { ...before, ...plain, preferredCurrency: currency, settings: mergedSettings }
  const isSecretKept =
    secret === undefined ? (await listSecretNames(work.trx, present.id)).includes('auth0ClientSecret') : secret !== null
  assertValid(after, present.settings, { isSecretKept, isGoogleOffered: offersGoogle(work.context.settings) })
  const isSecretNew =
    secret !== undefined && (await storeSecret(work.trx, work.context, present.id, 'auth0ClientSecret', secret))
  // A call that changes nothing leaves the version as it is.
  if (!isSecretNew && isDeepStrictEqual(before, after)) return presentOrganization(work, present)
  const stored = await storeOrganization(work, present.id, after)
  await recordAct(work, present.id, {
    action: 'organization.update',
    target: { kind: 'organization', id: present.id, label: after.name },
    change: [...listChanges(before, after), ...(isSecretNew ? ['auth0ClientSecret'] : [])].join(', '),
  })
  return presentOrganization(work, stored)
}

/** Lists the names of the members that a change is about. */
const listChanges = (before: WritableMembers, after: WritableMembers): string[] =>
  (Object.keys(before) as (keyof WritableMembers)[]).filter((name) => !isDeepStrictEqual(before[name], after[name]))

type WritableMembers = Pick<
  OrganizationModel,
  'name' | 'slug' | 'preferredCurrency' | 'timeZone' | 'locale' | 'settings'
>

function pickWritable({
  name,
  slug,
  preferredCurrency,
  timeZone,
  locale,
  settings,
}: OrganizationModel): WritableMembers {
  return { name, slug, preferredCurrency, timeZone, locale, settings }
}

/**
 * Applies a patch of the settings. The client secret is returned by itself: undefined if it stays as it is. Another host
 * forgets it unless the patch has it too: a secret is sent to the tenant that gave it and to no other.
 */
function mergeSettings(
  present: StoredSettings,
  patch: OrganizationSettingsPatch | undefined,
): { stored: StoredSettings; secret: string | null | undefined } {
  const { auth0, ...methods } = patch?.authConfig ?? {}
  const { clientSecret, ...tenant } = auth0 ?? {}
  const stored = mergePatch(present, { authConfig: { ...methods, auth0: tenant } })
  const isMoved = stored.authConfig.auth0.domain !== present.authConfig.auth0.domain
  return { stored, secret: clientSecret === undefined && isMoved ? null : clientSecret }
}

/** Checks what a schema cannot. @throws INVALID_REQUEST with every issue */
function assertValid(
  { timeZone, locale, settings }: WritableMembers,
  before: StoredSettings,
  { isSecretKept, isGoogleOffered }: { isSecretKept: boolean; isGoogleOffered: boolean },
): void {
  const issues: Issue[] = []
  if (!isTimeZone(timeZone))
    issues.push({ path: 'timeZone', code: 'unknown', message: 'is no name of the IANA time zone database' })
  if (!isLocale(locale)) issues.push({ path: 'locale', code: 'unknown', message: 'is no language tag of BCP 47' })
  const { google, auth0 } = settings.authConfig
  if (google.enabled && !before.authConfig.google.enabled && !isGoogleOffered) {
    const message = 'is a way to sign in that this installation does not offer'
    issues.push({ path: 'settings.authConfig.google.enabled', code: 'unavailable', message })
  }
  if (auth0.enabled) {
    const kept = {
      domain: auth0.domain !== undefined,
      clientId: auth0.clientId !== undefined,
      clientSecret: isSecretKept,
    }
    for (const [name, isKept] of Object.entries(kept))
      if (!isKept)
        issues.push({
          path: `settings.authConfig.auth0.${name}`,
          code: 'required',
          message: 'is missing to sign in so',
        })
  }
  if (issues.length === 0) return
  const detail = issues.map(({ path, message }) => `${path} ${message}`).join('; ')
  throw createProblem('INVALID_REQUEST', `${detail}.`, { errors: issues })
}

/** Creates the problem for a slug that another organization has. */
export const createSlugProblem = (): ProblemError =>
  createProblem('ORG_SLUG_TAKEN', 'Another organization has this slug.', { path: 'slug' })

async function storeOrganization({ trx }: Work, id: string, values: WritableMembers): Promise<OrganizationModel> {
  try {
    await OrganizationModel.query(trx)
      .findById(id)
      .patch({ ...values, updatedAt: new Date().toISOString() })
  } catch (error) {
    if (error instanceof UniqueViolationError && error.constraint === 'organizations_slug_key')
      throw createSlugProblem()
    throw error
  }
  return OrganizationModel.query(trx).findById(id).throwIfNotFound()
}
