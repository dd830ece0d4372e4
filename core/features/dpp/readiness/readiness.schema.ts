import { Type, boolean, list, object, oneOf, optional, string, type Static } from '../../../kernel/schema.ts'
import { NewPassport } from '../passports/index.ts'

const Finding = object(
  {
    code: string('Stable, in snake case, as gtin_check_digit.', { pattern: '^[a-z0-9_]+$' }),
    severity: oneOf(
      ['error', 'warning', 'info'],
      'error: a standard or this interface refuses it. warning: it will be asked for.',
    ),
    path: string('Dotted path of the value, as product.gtin; of a missing member the path that it would have.'),
    message: string('What is the matter with the value, in English.'),
    rule: string('The rule that it breaks, with its source.'),
    fix: string('What to do about it.'),
  },
  { title: 'Finding', description: 'Something that a passport lacks, or has wrong.' },
)

export const Readiness = object(
  {
    ready: boolean('Whether no finding is an error.'),
    findings: list(Finding, 'In the order of their paths, then of their codes.', { maxItems: 200 }),
  },
  {
    title: 'Readiness',
    description: 'Whether a passport is as UNTP and the code lists have it, and what the EU will ask for.',
  },
)
export type Readiness = Static<typeof Readiness>

const properties = NewPassport.properties as Record<string, { description?: string }>
const described = Object.entries(properties).map(
  ([name, { description = `As ${name} of NewPassport.` }]) => [name, optional(Type.Unknown({ description }))] as const,
)

/** The members of a passport to create, with any values: the caller asks what is wrong with them. */
export const PassportToValidate = Type.Object(Object.fromEntries(described), {
  title: 'PassportToValidate',
  additionalProperties: true,
  description: 'What creating a passport takes, complete or not, right or wrong.',
})
