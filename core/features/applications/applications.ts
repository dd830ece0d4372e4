import { isDeepStrictEqual } from 'node:util'
import type { Knex } from 'knex'
import { UniqueViolationError } from 'objection'
import type { Network } from '../../chains/networks.ts'
import { newId } from '../../database/model.ts'
import { organizationOf } from '../../kernel/caller.ts'
import { notFound, problem } from '../../kernel/problem.ts'
import type { Work } from '../../kernel/work.ts'
import { recordEvent } from '../events/index.ts'
import { Application } from './applications.model.ts'
import type { ApplicationPatch, NewApplication } from './applications.schema.ts'
import { mergeLoyaltySettings, mergeTheme } from './settings.ts'
import { slugCandidates } from './slugs.ts'

/**
 * Creates an application and its event. `id` is for seeds that have to be found again. A slug that was sent must be
 * free, one made from the name gets a suffix where it is taken. @throws APPLICATION_SLUG_TAKEN, VALIDATION_FAILED
 */
export async function createApplication(
  trx: Knex, organization: string, values: NewApplication & { id?: string }, defaults: { network: Network },
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
  for (const slug of values.slug === undefined ? slugCandidates(values.name) : [values.slug]) {
    const created = await insertWithSlug(trx, row, slug)
    if (!created) continue
    await recordEvent(trx, { organization, application: created.id, subject: 'application', type: 'create' })
    return created
  }
  throw slugTaken()
}

/** The row as stored, or undefined when the slug is taken. */
async function insertWithSlug(
  trx: Knex, row: { id: string } & Partial<Application>, slug: string,
): Promise<Application | undefined> {
  await Application.query(trx).insert({ ...row, slug }).onConflict('slug').ignore()
  return Application.query(trx).findById(row.id)
}

const slugTaken = () => problem('APPLICATION_SLUG_TAKEN', 'Another application has this slug.', { path: 'slug' })

/**
 * The application of the caller's own organization. `forKeyShare` keeps it from being deleted until the transaction
 * ends.
 * @throws NOT_FOUND for an absent or foreign one, and for callers without organization
 */
export async function findApplication(
  work: Work, id: string, options: { lock?: 'forUpdate' | 'forNoKeyUpdate' | 'forKeyShare' } = {},
): Promise<Application> {
  const organization = organizationOf(work.caller)
  if (organization === null) throw notFound()
  const query = Application.query(work.trx).findById(id).modify('ofOrganization', organization)
  if (options.lock) void query[options.lock]()
  const application = await query
  if (!application) throw notFound()
  return application
}

/** An application whoever asks. @throws NOT_FOUND */
export async function findAnyApplication(trx: Knex, id: string): Promise<Application> {
  const application = await Application.query(trx).findById(id)
  if (!application) throw notFound()
  return application
}

/**
 * Applies a merge patch to a locked application. A patch that changes nothing leaves no event.
 * @throws APPLICATION_SLUG_TAKEN, VALIDATION_FAILED
 */
export async function updateApplication(
  trx: Knex, application: Application, patch: ApplicationPatch,
): Promise<Application> {
  const { id, organization } = application
  const before = writable(application)
  const after = {
    ...writable({ ...before, ...patch } as Application),
    theme: mergeTheme(before.theme, patch.theme),
    loyaltySettings: mergeLoyaltySettings(before.loyaltySettings, patch.loyaltySettings),
  }
  if (isDeepStrictEqual(before, after)) return application
  const updated = await store(trx, application, after)
  await recordEvent(trx, { organization, application: id, subject: 'application', type: 'update' })
  return updated
}

function writable(application: Application) {
  const { name, slug, domains, websiteUrl, features, defaultNetwork, theme, loyaltySettings } = application
  return { name, slug, domains, websiteUrl, features, defaultNetwork, theme, loyaltySettings }
}

async function store(trx: Knex, { id, organization }: Application, values: Partial<Application>): Promise<Application> {
  try {
    const changed = { ...values, updatedAt: new Date().toISOString() }
    await Application.query(trx).findById(id).modify('ofOrganization', organization).patch(changed)
  } catch (error) {
    if (error instanceof UniqueViolationError && error.constraint === 'applications_slug_unique') throw slugTaken()
    throw error
  }
  return findAnyApplication(trx, id)
}

/**
 * Locks an application to be deleted, its sheets first: whoever makes a passport holds the sheet, then the application,
 * and the other order would have the two wait for each other. @throws NOT_FOUND
 */
export async function lockToDelete(work: Work, id: string): Promise<{ application: Application; sheets: string[] }> {
  await findApplication(work, id)
  const sheets = await work.trx('sheets').where({ application: id }).orderBy('id').forUpdate().pluck<string[]>('id')
  return { application: await findApplication(work, id, { lock: 'forUpdate' }), sheets }
}

/**
 * Deletes an application and the sheets that were locked with it.
 * @throws APPLICATION_IN_USE while it has passports or accounts, or when it got another sheet this very moment
 */
export async function deleteApplication(
  trx: Knex, { id, organization }: Application, sheets: readonly string[],
): Promise<void> {
  const { rows: [found] } = await trx.raw<{ rows: { used: boolean }[] }>(`
    select exists (select from passports where application = :id)
      or exists (select from accounts where application = :id)
      or exists (select from sheets where application = :id and id <> all(:sheets::uuid[])) as used
  `, { id, sheets: sheets as string[] })
  if (found?.used) throw problem('APPLICATION_IN_USE', 'The application still has passports or accounts.')
  await recordEvent(trx, { organization, application: id, subject: 'application', type: 'delete' })
  await Application.query(trx).findById(id).modify('ofOrganization', organization).delete()
}
