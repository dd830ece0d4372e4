import {
  Type,
  boolean,
  integer,
  list,
  object,
  oneOf,
  optional,
  string,
  uuid,
  type Static,
} from '../../../kernel/schema.ts'
import { NewPassport } from '../passports/index.ts'

export const severities = ['error', 'warning', 'info'] as const

const Finding = object(
  {
    code: string('Stable, in snake case, as gtin_check_digit.', { pattern: '^[a-z0-9_]+$' }),
    severity: oneOf(severities, 'error: a standard or this interface refuses it. warning: it will be asked for.'),
    path: string('Dotted path of the value, as product.gtin; of a missing member the path that it would have.'),
    message: string('What is the matter with the value, in English.'),
    rule: string('The rule that it breaks, with its source.'),
    fix: string('What to do about it.'),
    example: Type.Unknown({
      description: 'A value that meets the rule at `path`, made up: never send it as it is. Null where no value does.',
    }),
    schemaUri: optional(string('Resource with the shape of the value.')),
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

/** The maximum number of passports that a rule of the summary names. */
export const maxSamplePassports = { ofError: 10, ofOther: 1, ofChosenRule: 100 } as const

const codePattern = '^[a-z0-9_]+$'

/** The parameter that chooses one rule of the summary. */
export const createRuleSchema = (description: string) => string(description, { pattern: codePattern, maxLength: 100 })

const RuleSummary = object(
  {
    rule: string('Code of its findings, as gtin_check_digit.', { pattern: codePattern }),
    severity: oneOf(severities, 'An error keeps a passport from being ready.'),
    passports: integer('How many break it.', { minimum: 1 }),
    sample: list(
      object(
        { id: uuid('Identifier.'), name: string('Name for people.') },
        { title: 'ReadinessSample', description: 'A passport that breaks the rule.' },
      ),
      'The first of them.',
      { maxItems: maxSamplePassports.ofChosenRule },
    ),
    paths: optional(list(Type.String(), 'Of an error or the rule asked for: where, most frequent first.')),
    fix: optional(string('Of an error or the rule asked for: what to do at the first path.')),
    example: optional(Type.Unknown({ description: 'A value for the first path; null where none helps.' })),
  },
  { title: 'RuleSummary', description: 'A rule that passports break.' },
)
export type RuleSummary = Static<typeof RuleSummary>

export const ReadinessSummary = object(
  {
    passports: integer('How many were judged.', { minimum: 0 }),
    ready: integer('How many of them have no error.', { minimum: 0 }),
    byRule: list(RuleSummary, 'Errors first, then by how many passports break it.'),
  },
  { title: 'ReadinessSummary', description: 'The readiness of many passports, by rule.' },
)
export type ReadinessSummary = Static<typeof ReadinessSummary>

const properties = NewPassport.properties as Record<string, { description?: string }>
const described = Object.entries(properties).map(
  ([name, { description = `As ${name} of NewPassport.` }]) => [name, optional(Type.Unknown({ description }))] as const,
)

/** The members of a passport to create, with any values: the caller asks what is wrong with them. */
export const PassportToValidate = Type.Object(Object.fromEntries(described), {
  title: 'PassportToValidate',
  additionalProperties: true,
  description: 'A new passport, complete or not.',
})
