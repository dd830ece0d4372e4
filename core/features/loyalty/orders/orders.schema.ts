import {
  commonFilters,
  commonSorters,
  createListSchema,
  enumFilter,
  textFilter,
  uuidFilter,
  type ListDeclaration,
} from '../../../kernel/page.ts'
import {
  Type,
  instant,
  list,
  nullable,
  object,
  oneOf,
  optional,
  string,
  uuid,
  type Static,
} from '../../../kernel/schema.ts'
import { pointsText } from '../amounts/index.ts'
import { orderKinds, orderStates } from '../posting/index.ts'

const moneyText = (description: string) =>
  string(description, { pattern: '^-?[0-9]+([.][0-9]+)?$', examples: ['42.50'] })

const LoyaltyOrderItem = object(
  {
    sku: optional(string("The shop's number of the article.")),
    name: string('Name of the article.'),
    quantity: Type.Number({ description: 'How many, or how much.' }),
    unitPrice: moneyText('Price of one, as decimal text.'),
  },
  { title: 'LoyaltyOrderItem', description: 'An item of an order.' },
)

const LoyaltyOrderRule = object(
  {
    ratio: moneyText('Points that one unit of currency earned.'),
    source: oneOf(['tier', 'application'], 'Whose ratio it was.'),
    tier: nullable(uuid('The tier; null: none.')),
    currency: nullable(string('Currency of the ratio.')),
  },
  { title: 'LoyaltyOrderRule', description: 'The rule by which an order earned its points, as it was then.' },
)

export const LoyaltyOrder = object(
  {
    id: uuid('Identifier of the order.'),
    account: uuid('Its account.'),
    kind: oneOf(orderKinds, 'What it was.'),
    points: pointsText('What the account got; below zero, what it gave.'),
    amount: optional(moneyText('Net total of an order of a shop.')),
    currency: optional(string('Currency of `amount`.')),
    reference: nullable(string('Identifier that the sender gave it.')),
    status: oneOf(orderStates, 'settled: final on the chain; reversed: all its points were taken back.'),
    items: list(LoyaltyOrderItem, 'What was bought.'),
    rule: optional(LoyaltyOrderRule),
    transactionHash: nullable(string('The transaction that has it; null until then.')),
    createdAt: instant('When it was counted.'),
    updatedAt: instant('When its status last changed.'),
  },
  { title: 'LoyaltyOrder', description: 'What changed the points of an account.' },
)
export type LoyaltyOrder = Static<typeof LoyaltyOrder>

export const LoyaltyOrderList = createListSchema(LoyaltyOrder, 'LoyaltyOrderList')

export const orderList: ListDeclaration = {
  rowSchema: LoyaltyOrder,
  filters: {
    ...commonFilters,
    'application.id': uuidFilter('eq'),
    'account.id': uuidFilter('eq'),
    kind: enumFilter(orderKinds, 'eq'),
    reference: textFilter('eq'),
    status: enumFilter(orderStates, 'eq'),
  },
  sorters: commonSorters,
}
