import { isDeepStrictEqual } from 'node:util'
import type { Knex } from 'knex'
import { UniqueViolationError } from 'objection'
import type { Network } from '../../chains/networks.ts'
import { newId } from '../../database/model.ts'
import { getCallerOrganization } from '../../kernel/caller.ts'
import { createNotFoundProblem, createProblem } from '../../kernel/problem.ts'
import type { Work } from '../../kernel/work.ts'
import type { ApplicationBlocker } from '../area.ts'
import { recordEvent } from '../events/index.ts'
import { Application } from './applications.model.ts'
import type { ApplicationPatch, NewApplication } from './applications.schema.ts'
import { mergeLoyaltySettings, mergeTheme } from './settings.ts'
import { listSlugCandidates } from './slugs.ts'
import type { ScopedEntity } from '../../kernel/operation.ts'

/**
 * Creates an application and its event. A slug that the caller sent must be free; a slug that is made from the name
 * gets a suffix if it is taken.
 * @param values the members of the application; `id` is for seeds that must find the application again
 * @throws APPLICATION_SLUG_TAKEN, VALIDATION_FAILED
 */
export async function createApplication(
  trx: Knex,
  organization: string,
  values: NewApplication & { id?: string },
  defaults: { network: Network },
): Promise<Application> {
  const row = {
    id: values.id ?? newId(),
    organization,
    name: values.name,
    domains: values.domains ?? [],
    websiteUrl: values.websiteUrl ?? null,
    features: values.features ?? [],
    defaultNetwork: values.defaultNetwork ?? defaults.network,
    theme: mergeTheme({}, values.theme),
    loyaltySettings: mergeLoyaltySettings({}, values.loyaltySettings),
  }
  for (const slug of values.slug === undefined ? listSlugCandidates(values.name) : [values.slug]) {
    const created = await insertWithSlug(trx, row, slug)
    if (!created) continue
    await recordEvent(trx, { organization, application: created.id, subject: 'application', type: 'create' })
    return created
  }
  throw createSlugTakenProblem()
}

/** Inserts the row and returns it as stored, or undefined if the slug is taken. */
async function insertWithSlug(
  trx: Knex,
  row: { id: string } & Partial<Application>,
  slug: string,
): Promise<Application | undefined> {
  await Application.query(trx)
    .insert({ ...row, slug })
    .onConflict('slug')
    .ignore()
  return Application.query(trx).findById(row.id)
}

const createSlugTakenProblem = () =>
  createProblem('APPLICATION_SLUG_TAKEN', 'Another application has this slug.', { path: 'slug' })

/**
 * Reads an application of the caller's own organization. The lock `forKeyShare` keeps the application from being
 * deleted until the transaction ends.
 * @throws NOT_FOUND if there is none, if it belongs to another organization, or if the caller has no organization
 */
export async function readApplication(
  work: Work,
  id: string,
  options: { lock?: 'forUpdate' | 'forNoKeyUpdate' | 'forKeyShare' } = {},
): Promise<Application> {
  const organization = getCallerOrganization(work.caller)
  if (organization === null) throw createNotFoundProblem()
  const query = Application.query(work.trx).findById(id).modify('ofOrganization', organization)
  if (options.lock) void query[options.lock]()
  const application = await query
  if (!application) throw createNotFoundProblem()
  return application
}

/** Reads an application, regardless of the caller. @throws NOT_FOUND */
export async function readAnyApplication(trx: Knex, id: string): Promise<Application> {
  const application = await findApplication(trx, id)
  if (!application) throw createNotFoundProblem()
  return application
}

/** Finds an application, regardless of the caller. */
export async function findApplication(trx: Knex, id: string): Promise<Application | undefined> {
  return Application.query(trx).findById(id)
}

/** Finds an application by its slug, regardless of the caller. */
export async function findApplicationBySlug(trx: Knex, slug: string): Promise<Application | undefined> {
  return Application.query(trx).findOne({ slug })
}

/**
 * Applies a merge patch to a locked application. Records no event if the patch changes nothing.
 * @throws APPLICATION_SLUG_TAKEN, VALIDATION_FAILED
 */
export async function updateApplication(
  trx: Knex,
  application: Application,
  patch: ApplicationPatch,
): Promise<Application> {
  const { id, organization } = application
  const before = pickWritableMembers(application)
  const after = {
    ...pickWritableMembers({ ...before, ...patch } as Application),
    theme: mergeTheme(before.theme, patch.theme),
    loyaltySettings: mergeLoyaltySettings(before.loyaltySettings, patch.loyaltySettings),
  }
  if (isDeepStrictEqual(before, after)) return application
  const updated = await patchApplication(trx, application, after)
  await recordEvent(trx, { organization, application: id, subject: 'application', type: 'update' })
  return updated
}

function pickWritableMembers(application: Application) {
  const { name, slug, domains, websiteUrl, features, defaultNetwork, theme, loyaltySettings } = application
  return { name, slug, domains, websiteUrl, features, defaultNetwork, theme, loyaltySettings }
}

async function patchApplication(
  trx: Knex,
  { id, organization }: Application,
  values: Partial<Application>,
): Promise<Application> {
  try {
    const changed = { ...values, updatedAt: new Date().toISOString() }
    await Application.query(trx).findById(id).modify('ofOrganization', organization).patch(changed)
  } catch (error) {
    if (error instanceof UniqueViolationError && error.constraint === 'applications_slug_unique')
      throw createSlugTakenProblem()
    throw error
  }
  return readAnyApplication(trx, id)
}

/** Tells whether an area still uses the application. */
type UseCheck = () => Promise<boolean>

/**
 * Locks an application for its deletion, after what other areas lock of it.
 * @returns the application, and the checks to run before it is deleted
 * @throws NOT_FOUND
 */
export async function lockApplicationForDeletion(
  work: Work,
  id: string,
  blockers: readonly ApplicationBlocker[],
): Promise<{ application: Application; checks: UseCheck[] }> {
  await readApplication(work, id)
  const checks: UseCheck[] = []
  for (const prepareCheck of blockers) checks.push(await prepareCheck(work.trx, id))
  return { application: await readApplication(work, id, { lock: 'forUpdate' }), checks }
}

/** Deletes a locked application with what goes with it. @throws APPLICATION_IN_USE if a check finds a use */
export async function deleteApplication(
  trx: Knex,
  { id, organization }: Application,
  checks: readonly UseCheck[],
): Promise<void> {
  for (const isUsed of checks)
    if (await isUsed()) throw createProblem('APPLICATION_IN_USE', 'The application still has passports or accounts.')
  await recordEvent(trx, { organization, application: id, subject: 'application', type: 'delete' })
  await Application.query(trx).findById(id).modify('ofOrganization', organization).delete()
}

/** Keeps an application from being deleted until the transaction ends. @returns false if it is not the organization's */
export async function holdOwnApplication(trx: Knex, organization: string, id: string): Promise<boolean> {
  const held = await Application.query(trx)
    .findById(id)
    .modify('ofOrganization', organization)
    .select('id')
    .forKeyShare()
  return held !== undefined
}

/** Applications, as requests name them. */
export const applicationEntity: ScopedEntity = {
  isWithin: async (_db, { application }, id) => id.toLowerCase() === application,
}
