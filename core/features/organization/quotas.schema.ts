import { boolean, instant, integer, list, nullable, object, oneOf, string, type Static } from '../../kernel/schema.ts'
import { meterCodes } from './meters.table.ts'

const units = (description: string) => integer(description, { minimum: 0 })

const Meter = object(
  {
    code: oneOf(meterCodes, 'Its name.'),
    unit: oneOf(['operation', 'account', 'token'], 'What it counts.'),
    used: units('Units used in the period.'),
    reserved: units('Units that running jobs and processes hold; what they do not use comes back.'),
    limit: nullable(units('The most units of the period; null for no limit.')),
    remaining: nullable(units('Units that are neither used nor reserved; null for no limit.')),
    overage: units('Units used past the limit.'),
    hard: boolean('Whether nothing more can be taken past the limit.'),
    resetsAt: instant('When it counts from 0 again.'),
  },
  { title: 'MeterUsage', description: 'What was used of a meter.' },
)

export const QuotaUsage = object(
  {
    period: object(
      { start: instant('Its first instant.'), end: instant('The first instant of the next one.') },
      { title: 'QuotaPeriod', description: 'A month in UTC.' },
    ),
    plan: object(
      { id: string('Identifier of the plan.'), name: string('Its name.') },
      { title: 'QuotaPlan', description: 'The plan of the organization.' },
    ),
    asOf: instant('The time that the numbers are of.'),
    meters: list(Meter, 'Every meter.'),
  },
  { title: 'QuotaUsage', description: 'What the organization has used in this month, and what its plan allows.' },
)
export type QuotaUsage = Static<typeof QuotaUsage>
