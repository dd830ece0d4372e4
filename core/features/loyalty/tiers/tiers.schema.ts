import {
  commonFilters,
  commonSorters,
  createListSchema,
  textFilter,
  uuidFilter,
  type ListDeclaration,
} from '../../../kernel/page.ts'
import {
  Type,
  instant,
  integer,
  nameText,
  nullable,
  object,
  optional,
  string,
  uuid,
  type Static,
} from '../../../kernel/schema.ts'

const requiredVisits = integer('Visits that an account needs for it.', { minimum: 0, maximum: 1_000_000 })
const ratioDescription = 'Points that one unit of currency earns.'
const bgImageUrl = string('Picture behind its name; https.', {
  maxLength: 2048,
  format: 'uri',
  pattern: '^[Hh][Tt]{2}[Pp][Ss]://[^/?#]',
})

/** A ratio in a request, at most 6 decimals, so that a number of JSON holds it exactly. */
const ratio = Type.Union(
  [
    Type.Number({ minimum: 0, maximum: 1e9 }),
    Type.String({ pattern: '^(1000000000|0|[1-9][0-9]{0,8})([.][0-9]{1,6})?$' }),
  ],
  { description: ratioDescription },
)

export const RewardTier = object(
  {
    id: uuid('Identifier of the tier.'),
    application: uuid('Its application.'),
    name: nameText('Name for people.'),
    requiredVisits,
    currencyToPointRatio: Type.Number({ minimum: 0, description: ratioDescription }),
    bgImageUrl: optional(bgImageUrl),
    createdAt: instant('When it was created.'),
    updatedAt: instant('When it last changed.'),
  },
  { title: 'RewardTier', description: 'A level of a programme, reached by visits.' },
)
export type RewardTier = Static<typeof RewardTier>

export const NewRewardTier = object(
  {
    application: uuid('Its application, for good.'),
    name: nameText('Name for people.'),
    requiredVisits,
    currencyToPointRatio: ratio,
    bgImageUrl: optional(nullable(bgImageUrl)),
  },
  { title: 'NewRewardTier', description: 'A tier to create.' },
)
export type NewRewardTier = Static<typeof NewRewardTier>

export const RewardTierPatch = object(
  {
    name: optional(nameText('Name for people.')),
    requiredVisits: optional(requiredVisits),
    currencyToPointRatio: optional(ratio),
    bgImageUrl: optional(nullable(bgImageUrl)),
  },
  { title: 'RewardTierPatch', description: 'Changes of a tier; null removes the picture.' },
)
export type RewardTierPatch = Static<typeof RewardTierPatch>

export const RewardTierList = createListSchema(RewardTier, 'RewardTierList')

export const tierList: ListDeclaration = {
  rowSchema: RewardTier,
  filters: { ...commonFilters, 'application.id': uuidFilter('eq'), name: textFilter('eq', 'contains') },
  sorters: [...commonSorters, 'name', 'requiredVisits'],
}
