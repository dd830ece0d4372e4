import { networkNames } from '../../../chains/networks.ts'
import { Type, integer, list, object, oneOf, optional, string, uuid, type Static } from '../../../kernel/schema.ts'
import { cardChannels } from '../../accounts/index.ts'

const points = (description: string) => optional(integer(description, { minimum: 0, maximum: Number.MAX_SAFE_INTEGER }))
const visits = (description: string) => optional(integer(description, { minimum: 0, maximum: 2_147_483_647 }))

/** Whom a campaign is for. */
export const Targeting = object(
  {
    minPoints: points('Fewest points.'),
    maxPoints: points('Most points; not below `minPoints`.'),
    minVisits: visits('Fewest visits.'),
    maxVisits: visits('Most visits; not below `minVisits`.'),
    rewardTiers: optional(
      list(uuid('A tier.'), 'One of these tiers.', { minItems: 1, maxItems: 50, uniqueItems: true }),
    ),
    network: optional(oneOf(networkNames, 'Network of the account.')),
    locales: optional(
      list(
        string('Language tag.', { pattern: '^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$', maxLength: 35, examples: ['fr'] }),
        'Languages; `fr` takes `fr-CH` too.',
        { minItems: 1, maxItems: 50, uniqueItems: true },
      ),
    ),
    inactiveForDays: optional(integer('Days without a visit.', { minimum: 1, maximum: 3650 })),
    birthdayMonth: optional(integer('1 for January.', { minimum: 1, maximum: 12 })),
    holdoutPercent: optional(integer('Share that gets nothing, to compare with.', { minimum: 0, maximum: 50 })),
  },
  { title: 'CampaignTargeting', description: 'All conditions hold; {} is everybody with a card.' },
)
export type Targeting = Static<typeof Targeting>

export const Channels = list(oneOf(cardChannels, 'A wallet.'), 'Wallets to write to; else both.', {
  minItems: 1,
  maxItems: cardChannels.length,
  uniqueItems: true,
})

export const AudiencePreviewRequest = object(
  {
    application: uuid('Its application.'),
    targeting: optional(Targeting),
    channels: optional(Channels),
  },
  { title: 'CampaignAudience', description: 'An audience.' },
)
export type AudiencePreviewRequest = Static<typeof AudiencePreviewRequest>

export const AudiencePreview = object(
  {
    matching: integer('Customers who have a card, want messages and match.', { minimum: 0 }),
    reachableNow: integer('Those whose card may be notified now.', { minimum: 0 }),
    withheld: integer('Those whose cards had all messages of 24 hours.', { minimum: 0 }),
    fullAvailabilityAt: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
      description: 'When all can be notified; null: now, or never with a cap of 0.',
    }),
  },
  { title: 'CampaignAudiencePreview', description: 'Whom a campaign would reach now.' },
)
export type AudiencePreview = Static<typeof AudiencePreview>
