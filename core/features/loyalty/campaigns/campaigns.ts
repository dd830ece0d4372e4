import { isDeepStrictEqual } from 'node:util'
import type { Knex } from 'knex'
import { createModelSource, listPage } from '../../../database/list/index.ts'
import type { OrganizationCaller } from '../../../kernel/caller.ts'
import { mapPageResult, type PageRequest, type PageResult } from '../../../kernel/page.ts'
import { createNotFoundProblem, createProblem, createValidationProblem, type Issue } from '../../../kernel/problem.ts'
import type { Work } from '../../../kernel/work.ts'
import { cardChannels } from '../../accounts/index.ts'
import { getCampaignLimits, readApplication } from '../../applications/index.ts'
import { holdTiers } from '../tiers/index.ts'
import { campaignColumns, CampaignModel } from './campaigns.model.ts'
import { presentCampaign } from './campaigns.present.ts'
import type { Campaign, CampaignPatch, NewCampaign } from './campaigns.schema.ts'
import {
  deleteCampaign,
  findOwnCampaign,
  insertCampaign,
  updateCampaign,
  type CampaignContent,
} from './campaigns.store.ts'
import type { Targeting } from './targeting.schema.ts'

type Precondition = (representation: unknown) => void

/** Lists the campaigns of the caller's organization. */
export async function listCampaigns(
  { trx }: Pick<Work, 'trx'>,
  { organization }: OrganizationCaller,
  page: PageRequest,
): Promise<PageResult<Campaign>> {
  const source = createModelSource(CampaignModel.query(trx).modify('ofOrganization', organization))
  return mapPageResult(await listPage(source, page, campaignColumns), presentCampaign)
}

/** Reads a campaign of the caller's organization. @throws NOT_FOUND, for another organization's too */
export async function readOwnCampaign(
  trx: Knex,
  { organization }: OrganizationCaller,
  id: string,
  lock?: 'forUpdate',
): Promise<CampaignModel> {
  const campaign = await findOwnCampaign(trx, organization, id, lock)
  if (!campaign) throw createNotFoundProblem()
  return campaign
}

/** Locks a draft of the caller's organization. @throws NOT_FOUND; PRECONDITION_FAILED; CAMPAIGN_NOT_DRAFT */
export async function lockDraft(
  trx: Knex,
  caller: OrganizationCaller,
  id: string,
  precondition: Precondition,
): Promise<CampaignModel> {
  const campaign = await readOwnCampaign(trx, caller, id, 'forUpdate')
  precondition(presentCampaign(campaign))
  if (campaign.status !== 'draft')
    throw createProblem('CAMPAIGN_NOT_DRAFT', `The campaign is ${campaign.status}, and only a draft allows this.`)
  return campaign
}

/**
 * Creates a draft.
 * @throws NOT_FOUND if the organization has no such application; VALIDATION_FAILED for a targeting that contradicts
 * itself, a tier that the application does not have, or a link in the text
 */
export async function createCampaign(
  work: Work,
  { organization }: OrganizationCaller,
  body: NewCampaign,
): Promise<Campaign> {
  const application = await readApplication(work, body.application, { lock: 'forKeyShare' })
  const { name, description = null, channels = [...cardChannels], targeting = {}, content = null } = body
  const draft = { name, description, channels, targeting, ...flattenContent(content) }
  await assertDraft(work.trx, application.id, draft)
  const { conversionWindowDays } = getCampaignLimits(application)
  const values = { ...draft, organization, application: application.id, conversionWindowDays }
  return presentCampaign(await insertCampaign(work.trx, values))
}

const flattenContent = (content: NewCampaign['content']) => ({
  headline: content?.headline ?? null,
  body: content?.body ?? null,
})

/** Changes a draft. @throws as `createCampaign` and `lockDraft` */
export async function changeCampaign(
  { trx }: Work,
  caller: OrganizationCaller,
  { id, patch, precondition }: { id: string; patch: CampaignPatch; precondition: Precondition },
): Promise<Campaign> {
  const campaign = await lockDraft(trx, caller, id, precondition)
  const { name, description, channels, targeting, headline, body } = campaign
  const before: CampaignContent = { name, description, channels, targeting, headline, body }
  const { content, ...members } = patch
  const after = { ...before, ...members, ...(content !== undefined && flattenContent(content)) }
  await assertDraft(trx, campaign.application, after)
  // What is the same already keeps its version, so that a repeated call changes nothing.
  return presentCampaign(isDeepStrictEqual(before, after) ? campaign : await updateCampaign(trx, id, after))
}

/** Deletes a draft. @returns the draft as it was @throws as `lockDraft` */
export async function removeCampaign(
  { trx }: Work,
  caller: OrganizationCaller,
  { id, precondition }: { id: string; precondition: Precondition },
): Promise<Campaign> {
  const campaign = await lockDraft(trx, caller, id, precondition)
  await deleteCampaign(trx, id)
  return presentCampaign(campaign)
}

async function assertDraft(trx: Knex, application: string, draft: CampaignContent): Promise<void> {
  const issues = [...listTextIssues(draft), ...listTargetingIssues(draft.targeting, 'targeting')]
  const missing = issues.length > 0 ? [] : await listMissingTiers(trx, application, draft.targeting)
  if (issues.length + missing.length > 0) throw createValidationProblem([...issues, ...missing])
}

/**
 * Finds what looks like a link. A phone shows a message as plain text on its lock screen, where nobody can follow a link,
 * and messages with links are what people are warned of.
 */
const linkPattern = /\b(?:[a-z][a-z0-9+.-]*:\/\/|www\.)\S/i

const listTextIssues = ({ headline, body }: Pick<CampaignContent, 'headline' | 'body'>): Issue[] =>
  Object.entries({ headline, body }).flatMap(([member, text]) =>
    text !== null && linkPattern.test(text)
      ? [
          {
            path: `content.${member}`,
            code: 'link',
            message: 'must have no link: a lock screen shows it as plain text',
          },
        ]
      : [],
  )

/** Checks the structure of a language tag. Source: RFC 5646, section 2.1. */
function isLanguageTag(text: string): boolean {
  try {
    return Intl.getCanonicalLocales(text).length === 1
  } catch {
    // It throws for what is none.
    return false
  }
}

/** Finds what contradicts itself, or is no value, in a targeting. @param path of the targeting */
export function listTargetingIssues(
  { minPoints = 0, maxPoints = Infinity, minVisits = 0, maxVisits = Infinity, locales = [] }: Targeting,
  path: string,
): Issue[] {
  const isBelow = (member: string, other: string) => ({
    path: `${path}.${member}`,
    code: 'contradiction',
    message: `must not be below ${other}`,
  })
  return [
    ...(maxPoints < minPoints ? [isBelow('maxPoints', 'minPoints')] : []),
    ...(maxVisits < minVisits ? [isBelow('maxVisits', 'minVisits')] : []),
    ...locales.flatMap((locale, at) =>
      isLanguageTag(locale)
        ? []
        : [{ path: `${path}.locales[${at}]`, code: 'format', message: 'is no language tag, as fr or de-CH' }],
    ),
  ]
}

/** Finds tiers in a targeting that are none of the application's. They are held until the transaction ends. */
export async function listMissingTiers(
  trx: Knex,
  application: string,
  { rewardTiers = [] }: Targeting,
): Promise<Issue[]> {
  const known = new Set((await holdTiers(trx, application, rewardTiers)).map(({ id }) => id))
  return rewardTiers.flatMap((tier, at) =>
    known.has(tier)
      ? []
      : [{ path: `targeting.rewardTiers[${at}]`, code: 'not_found', message: 'is no tier of the application' }],
  )
}
