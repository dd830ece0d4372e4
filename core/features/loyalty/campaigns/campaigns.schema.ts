import {
  commonFilters,
  commonSorters,
  createListSchema,
  enumFilter,
  uuidFilter,
  type ListDeclaration,
} from '../../../kernel/page.ts'
import {
  Type,
  boolean,
  instant,
  integer,
  list,
  nameText,
  nullable,
  object,
  oneOf,
  optional,
  string,
  uuid,
  type Static,
} from '../../../kernel/schema.ts'
import { cardChannels } from '../../accounts/index.ts'
import { campaignStates } from './campaigns.machine.ts'
import { Channels, Targeting } from './targeting.schema.ts'

/** Limits of a message, in characters. */
export const messageLengths = { headline: 60, body: 240 } as const

const content = object(
  {
    headline: nameText('First line, without links.', { maxLength: messageLengths.headline }),
    body: string('What it says, without links.', { minLength: 1, maxLength: messageLengths.body, format: 'cell-name' }),
  },
  { title: 'CampaignContent', description: 'What the card says and the phone shows.' },
)
const name = nameText('What the organization calls it; customers do not see it.')
const description = string('Notes of the organization.', { minLength: 1, maxLength: 1000 })

const members = {
  id: uuid('Identifier of the campaign.'),
  application: uuid('Its application.'),
  name,
  description: nullable(description),
  channels: list(oneOf(cardChannels, 'A wallet.'), 'Wallets it writes to.'),
  targeting: Targeting,
  content: nullable(content),
  status: oneOf(campaignStates, 'Only a draft can be changed, sent or scheduled.'),
  sendAt: nullable(instant('When it is to be sent.')),
  scheduledImmediately: boolean('Its `sendAt` was not in the future, so it was sent at once.'),
  audienceSize: nullable(integer('Customers in its audience when it was sent.', { minimum: 0 })),
  conversionWindowDays: integer('Days after sending in which a visit counts as its success.'),
  sentAt: nullable(instant('When sending began.')),
  finishedAt: nullable(instant('When its window was over.')),
  createdAt: instant('When it was created.'),
  updatedAt: instant('When it last changed.'),
}

export const Campaign = object(members, { title: 'Campaign', description: 'A message to customers’ cards.' })
export type Campaign = Static<typeof Campaign>

export const CampaignDetails = object(
  {
    ...members,
    isStranded: boolean('It is sending, but its job failed or is gone: resume it.'),
    scheduleJobLost: boolean('It is scheduled, but its job is gone: it is sent within an hour of `sendAt`.'),
  },
  { title: 'CampaignDetails', description: 'A campaign with the state of its job.' },
)
export type CampaignDetails = Static<typeof CampaignDetails>

export const CampaignStarted = object(
  { ...members, jobId: optional(uuid('The job to follow at /v1/jobs/:jobId; none for nobody.')) },
  { title: 'CampaignStarted', description: 'A campaign with the job that sends it.' },
)
export type CampaignStarted = Static<typeof CampaignStarted>

export const CampaignList = createListSchema(Campaign, 'CampaignList')

export const NewCampaign = object(
  {
    application: uuid('Its application.'),
    name,
    description: optional(description),
    channels: optional(Channels),
    targeting: optional(Targeting),
    content: optional(nullable(content)),
  },
  { title: 'NewCampaign', description: 'A draft.' },
)
export type NewCampaign = Static<typeof NewCampaign>

export const CampaignPatch = object(
  {
    name: optional(name),
    description: optional(nullable(description)),
    channels: optional(Channels),
    targeting: optional(Targeting),
    content: optional(nullable(content)),
  },
  { title: 'CampaignPatch', description: 'Changes of a draft; `targeting` and `content` as a whole.' },
)
export type CampaignPatch = Static<typeof CampaignPatch>

export const CampaignSchedule = object(
  {
    sendAt: string('RFC 3339 with offset, within a year; a past one sends at once.', {
      maxLength: 64,
      examples: ['2026-12-24T10:00:00+01:00'],
    }),
  },
  { title: 'CampaignSchedule', description: 'When to send.' },
)

const share = (what: string) => Type.Number({ minimum: 0, maximum: 1, description: what })
const count = (what: string) => integer(what, { minimum: 0 })

export const CampaignStats = object(
  {
    deliveries: object(
      {
        pending: count('Not tried yet.'),
        sent: count('Taken by the wallet.'),
        failed: count('Refused by the wallet.'),
        excludedFrequencyCap: count('The card had all messages of 24 hours.'),
        excludedOptOut: count('The customer wanted no messages any more.'),
      },
      { title: 'CampaignDeliveries', description: 'One for each customer and wallet.' },
    ),
    recipientsNotified: count('Customers with a sent one.'),
    recipientsVisited: count('Those who came within the window.'),
    conversionRate: share('`recipientsVisited` of `recipientsNotified`; 0 without any.'),
    holdout: nullable(
      object(
        { size: count('Customers who got nothing.'), visited: count('Those who came.'), rate: share('Their share.') },
        { title: 'CampaignHoldout', description: 'Those to compare with; null without any.' },
      ),
    ),
    lift: nullable(
      Type.Number({ description: '0.25: a quarter more came than of the holdout; null if none of it came.' }),
    ),
  },
  { title: 'CampaignStats', description: 'What came of a campaign, at this moment.' },
)
export type CampaignStats = Static<typeof CampaignStats>

export const campaignList: ListDeclaration = {
  rowSchema: Campaign,
  filters: {
    ...commonFilters,
    'application.id': uuidFilter('eq'),
    status: enumFilter(campaignStates, 'eq'),
  },
  sorters: [...commonSorters, 'name', 'sendAt'],
}
