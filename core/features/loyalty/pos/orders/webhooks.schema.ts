import { list, nullable, object, optional, string, Type, type Static } from '../../../../kernel/schema.ts'
import { maxItems } from '../closed-orders.ts'

/** The other system may send members that nobody here knows. */
const open = { additionalProperties: true }

/** An amount as systems write it; its decimals are checked when the order is read. */
const amount = (description: string, example: string) =>
  Type.Union([Type.String({ maxLength: 20 }), Type.Number()], { description, examples: [example] })

const PosCustomer = object(
  {
    id: string('Its identifier in the POS.', { maxLength: 200, examples: ['C-2041'] }),
    email: optional(nullable(string('E-mail address.', { maxLength: 1_000, examples: ['ada@example.com'] }))),
    phone: optional(
      nullable(string('Phone number with its country code.', { maxLength: 1_000, examples: ['+390612345678'] })),
    ),
  },
  { title: 'PosCustomer', description: 'Who bought.', ...open },
)

const PosItem = object(
  {
    sku: optional(nullable(string('Its number in the POS.', { maxLength: 200, examples: ['PIZZA-01'] }))),
    name: string('What it is.', { minLength: 1, maxLength: 500, examples: ['Pizza'] }),
    quantity: Type.Number({ description: 'How many, or how much.', examples: [2] }),
    unitPrice: amount('Of one.', '21.25'),
  },
  { title: 'PosItem', description: 'An item of an order.', ...open },
)

/** An order as a restaurant point-of-sale system reports it. What is wrong beyond the types, `parseClosedOrder` says. */
export const PosOrder = object(
  {
    id: string('Its identifier in the POS.', { minLength: 1, maxLength: 200, examples: ['R-1042-88317'] }),
    restaurantId: string('The restaurant.', { minLength: 1, maxLength: 200, examples: ['R-1042'] }),
    status: Type.Integer({ description: '255: closed. Others do not count.', examples: [255] }),
    customer: optional(nullable(PosCustomer)),
    total: amount('Net of discounts and tips, with tax.', '42.50'),
    currency: string('ISO 4217.', { minLength: 3, maxLength: 3, examples: ['EUR'] }),
    items: optional(nullable(list(PosItem, 'What was bought.', { maxItems }))),
    closedAt: optional(nullable(string('When it was closed.', { maxLength: 100, examples: ['2026-01-31T12:00:00Z'] }))),
    refundedTotal: optional(nullable(amount('Refunded so far of the total.', '10.00'))),
  },
  { title: 'PosOrder', description: 'An order of a restaurant. Other members are ignored.', ...open },
)
export type PosOrder = Static<typeof PosOrder>
