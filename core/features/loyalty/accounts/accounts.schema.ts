import { networkNames } from '../../../chains/networks.ts'
import {
  commonFilters,
  commonSorters,
  createListSchema,
  enumFilter,
  textFilter,
  uuidFilter,
  type FilterField,
  type ListDeclaration,
} from '../../../kernel/page.ts'
import {
  boolean,
  instant,
  integer,
  nullable,
  object,
  oneOf,
  optional,
  string,
  uuid,
  type Static,
} from '../../../kernel/schema.ts'
import { ApplicationRef } from '../../applications/index.ts'
import { RewardTier } from '../tiers/index.ts'

const AccountUser = object(
  {
    id: uuid('The person, the same in every application.'),
    name: nullable(string('What they are called here.')),
    email: nullable(string('In small letters; null unless verified.')),
    emailVerified: boolean('Whether an address is verified.'),
    phoneNumber: nullable(string('In E.164 form; null unless verified.')),
    phoneNumberVerified: boolean('Whether a number is verified.'),
    birthDate: nullable(string('Day of birth.', { format: 'date' })),
    preferredLocale: nullable(string('Language tag (BCP 47).')),
  },
  { title: 'AccountUser', description: 'The person behind an account.' },
)

const createPointsSchema = (description: string) => string(description, { pattern: '^-?[0-9]{1,19}$' })

const AccountLoyalty = object(
  {
    optimisticBalance: createPointsSchema('Points that can be spent, also before the chain has them.'),
    settledBalance: createPointsSchema('Points that are final on the chain, those still pending among them.'),
    pending: createPointsSchema('Points that become active later.'),
    visits: integer('Visits, over all time.', { minimum: 0 }),
    fixedRewardTier: nullable(uuid('Tier that holds whatever the visits.')),
    rewardTier: nullable(RewardTier),
    customerId: nullable(string('Customer at the point of sale.')),
    optIn: object(
      { apple: boolean('In Apple Wallet.'), google: boolean('In Google Wallet.') },
      { title: 'AccountOptIn', description: 'Where the person takes messages.' },
    ),
  },
  { title: 'AccountLoyalty', description: 'Points, visits and tier of an account.' },
)

const AccountDpp = object(
  {
    isActive: boolean('Whether it has claimed passports.'),
    passportCount: integer('Passports that it has claimed.', { minimum: 0 }),
    lastActivityAt: nullable(instant('Time of its newest claim on the chain.')),
  },
  { title: 'AccountDpp', description: 'Passports of an account.' },
)

export const Account = object(
  {
    id: uuid('Identifier of the account.'),
    application: ApplicationRef,
    network: oneOf(networkNames, 'Network of its wallet.'),
    address: string('Address of its wallet.'),
    explorerUrl: optional(string('Page of the wallet, where the network has an explorer.', { format: 'uri' })),
    user: AccountUser,
    loyalty: AccountLoyalty,
    dpp: AccountDpp,
    createdAt: instant('When the person came first.'),
    updatedAt: instant('When it last changed; its figures do not count.'),
  },
  { title: 'Account', description: 'A person in one application, with one wallet on one network.' },
)
export type Account = Static<typeof Account>

const AccountLoyaltyPatch = object(
  {
    fixedRewardTier: optional(nullable(uuid('Tier that holds whatever the visits; null: none.'))),
    customerId: optional(nullable(string('Customer at the point of sale.', { minLength: 1, maxLength: 200 }))),
    optIn: optional(
      object(
        { apple: optional(boolean('In Apple Wallet.')), google: optional(boolean('In Google Wallet.')) },
        { title: 'AccountOptInPatch', description: 'Where the person takes messages.' },
      ),
    ),
    visits: optional(integer('Corrects them by an entry.', { minimum: 0, maximum: 1_000_000 })),
  },
  { title: 'AccountLoyaltyPatch', description: 'Tier, customer, opt-in and visits.' },
)

export const AccountPatch = object(
  { loyalty: optional(AccountLoyaltyPatch) },
  { title: 'AccountPatch', description: 'Changes of an account.' },
)
export type AccountPatch = Static<typeof AccountPatch>

export const AccountList = createListSchema(Account, 'AccountList')

const searchedText = textFilter('eq', 'contains')

const accountFilters = {
  ...commonFilters,
  'application.id': uuidFilter('eq'),
  network: enumFilter(networkNames, 'eq'),
  address: searchedText,
  'user.name': searchedText,
  'user.email': { ...searchedText, insensitive: true },
  'user.phoneNumber': searchedText,
  'dpp.passportCount': { kind: 'integer', operators: ['eq', 'gt', 'gte', 'lt', 'lte'] },
} satisfies Record<string, FilterField>

export const accountList: ListDeclaration = {
  rowSchema: Account,
  filters: accountFilters,
  sorters: [
    ...commonSorters,
    'address',
    'loyalty.optimisticBalance',
    'loyalty.visits',
    'dpp.passportCount',
    'dpp.lastActivityAt',
  ],
}
