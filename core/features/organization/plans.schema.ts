import { networkNames } from '../../chains/networks.ts'
import { boolean, integer, list, nullable, object, oneOf, optional, string, type Static } from '../../kernel/schema.ts'
import { meterCodes } from './meters.table.ts'

const money = (description: string, example: string) =>
  string(description, { pattern: '^(0|[1-9][0-9]{0,8})(\\.[0-9]{1,8})?$', examples: [example] })
const maxUnits = 1e15

const members = {
  id: string('Identifier of the plan.', { pattern: '^[a-z][a-z0-9-]{0,39}$', examples: ['growth'] }),
  name: string('Its name for people.', { minLength: 1, maxLength: 80 }),
  description: string('Who it is for.', { minLength: 1, maxLength: 500 }),
  currency: oneOf(['EUR', 'USD'], 'Currency of its prices.'),
  monthlyPrice: money('Price of a month, as a decimal.', '490.00'),
}

const meterMembers = {
  code: oneOf(meterCodes, 'The meter.'),
  limit: nullable(integer('The most units of a month; null for no limit.', { minimum: 0, maximum: maxUnits })),
  overagePrice: nullable(money('Price of a unit past the limit, as a decimal; null if there is none.', '0.0100')),
}

/** A plan as the file of plans has it. */
export const PlanEntry = object({
  ...members,
  networks: nullable(list(oneOf(networkNames, 'A network.'), 'The networks that it may use; null for all of them.')),
  hideFooter: optional(boolean('Whether pages of applications may leave out our name at their end; by default not.')),
  meters: list(
    object({ ...meterMembers, hard: optional(boolean('Whether nothing more can be taken past the limit.')) }),
    'What it limits.',
  ),
  default: optional(boolean('Whether organizations have it that were put on no plan. One plan at most.')),
})
export type PlanEntry = Static<typeof PlanEntry>

export const PlanEntries = list(PlanEntry, 'All plans.', { minItems: 1, maxItems: 100 })

export const Plan = object(
  {
    ...members,
    meters: list(
      object(meterMembers, { title: 'PlanMeter', description: 'What a plan allows of a meter.' }),
      'What it limits; a meter that is not named has no limit.',
    ),
  },
  { title: 'Plan', description: 'What an organization may use in a month, and what it pays.' },
)
export type Plan = Static<typeof Plan>

export const Plans = list(Plan, 'All plans, as the platform offers them.')
