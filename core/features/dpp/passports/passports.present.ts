import { createObjectSql, createReader } from '../../../database/projection.ts'
import type { Caller } from '../../../kernel/caller.ts'
import { mayActFor, getCallerOrganization, getCallerPermissions } from '../../../kernel/caller.ts'
import { hasPermission } from '../../../kernel/permission.ts'
import { listMembers, passportMembers, type ShownPassport } from './passports.members.ts'
import type { PassportRow } from './passports.model.ts'
import type { Passport } from './passports.schema.ts'

/** Who reads a passport: its organization, everybody else, or the history of events. */
export type PassportAudience = 'owner' | 'public' | 'event'

/** A draft in an event. The history shows nothing else of it. */
export interface DraftEventPassport {
  id: string
}

/** Checks whether the caller may see every member of the passport, and drafts. */
export function maySeeAll(caller: Caller, { organization }: Pick<PassportRow, 'organization'>): boolean {
  return mayActFor(caller, organization, 'dpp:read')
}

/** Returns the organization whose passports the caller may see in full; null if there is none. */
export function getInsiderOrganization(caller: Caller): string | null {
  return hasPermission(getCallerPermissions(caller), 'dpp:read') ? getCallerOrganization(caller) : null
}

const members = {
  sheet: { owner: listMembers('sheet', 'owner'), public: listMembers('sheet', 'public') },
  product: { owner: listMembers('product', 'owner'), public: listMembers('product', 'public') },
}
const draftMembers = [['id', passportMembers.id.sheet.owner]] as const

const readDraft = createReader(draftMembers)
const readers = {
  sheet: { owner: createReader(members.sheet.owner), public: createReader(members.sheet.public) },
  product: { owner: createReader(members.product.owner), public: createReader(members.product.public) },
}

/** Presents a passport to an audience. The row has to be `shown`. */
export function presentPassport(row: ShownPassport, audience: 'owner' | 'public'): Passport
export function presentPassport(row: ShownPassport, audience: PassportAudience): Passport | DraftEventPassport
export function presentPassport(row: ShownPassport, audience: PassportAudience): Passport | DraftEventPassport {
  if (audience === 'event' && row.status === 'draft') return presentDraftInEvents(row)
  const flow = readers[row.product === null ? 'sheet' : 'product']
  return (audience === 'owner' ? flow.owner : flow.public)(row) as Passport
}

/** Presents a draft for an event. */
export function presentDraftInEvents(row: Pick<PassportRow, 'id'>): DraftEventPassport {
  return readDraft(row) as unknown as DraftEventPassport
}

/**
 * The SQL of the values from other tables, computed once for all forms of the JSON. `offset 0` keeps the planner from
 * inlining the subquery into each of them.
 */
const aroundSql = `(select
  (select a.name from applications a where a.id = passports.application) as application_name,
  case when passports.minted_to is not null
    then (select w.address from accounts w where w.id = passports.minted_to) end as minted_address offset 0) around`

/**
 * Creates the SQL of a passport's JSON. It reads `passports` and, by primary key, two small tables. The parents in the
 * product flow come from the function `passport_parents`, which is not called for a passport of the sheet flow.
 */
function createPassportSql(reader: 'owner' | 'public'): string {
  const { sheet, product } = members
  return `case when passports.product is null then ${createObjectSql(sheet[reader])} else (
    select ${createObjectSql(product[reader])} from passport_parents(passports.application, passports.product) parents) end`
}

/** The SQL of a draft in an event. */
export const draftEventSql = createObjectSql(draftMembers)

/** The SQL of a passport's JSON for each audience, as `presentPassport` presents it. */
export const passportSql: Readonly<Record<PassportAudience, string>> = {
  owner: `(select ${createPassportSql('owner')} from ${aroundSql})`,
  public: `(select ${createPassportSql('public')} from ${aroundSql})`,
  event: `(select case when passports.status = 'draft' then ${draftEventSql} else ${createPassportSql('public')} end from ${aroundSql})`,
}

/**
 * Creates the SQL of a passport as a reader sees it; a draft is null for readers outside its organization.
 * @param isOwner SQL that tells whether the passport belongs to the reader's organization
 */
export const createReaderPassportSql = (
  isOwner: string,
) => `(select case when ${isOwner} then ${createPassportSql('owner')}
  when passports.status <> 'draft' then ${createPassportSql('public')} end from ${aroundSql})`
