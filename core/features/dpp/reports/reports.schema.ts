import { createJsonValidator } from '../../../kernel/json/schema-validators.ts'
import { createValidationProblem } from '../../../kernel/problem.ts'
import { object, oneOf, optional, string, type Static } from '../../../kernel/schema.ts'

export const reportKinds = ['fake', 'stolen', 'defect', 'other'] as const
export type ReportKind = (typeof reportKinds)[number]

/** The most characters of a report. */
export const maxReportLength = 2_000

export const NewPassportReport = object(
  {
    kind: oneOf(
      reportKinds,
      'fake: the product may be a counterfeit; stolen: it was taken from its owner; defect: it is broken or dangerous.',
    ),
    text: string('What was seen, as plain text. White space around it is not kept.', {
      minLength: 1,
      maxLength: maxReportLength,
      pattern: '\\S',
      examples: ['The seam is glued where the page says that it is sewn.'],
    }),
    email: optional(
      string('Where the organization can ask further, kept in lower case. Nothing is sent to it by us.', {
        format: 'email',
        maxLength: 254,
        examples: ['ada@example.com'],
      }),
    ),
  },
  { title: 'NewPassportReport', description: 'What somebody reports about a passport.' },
)
export type NewPassportReport = Static<typeof NewPassportReport>

const validateReport = createJsonValidator(() => NewPassportReport)

/** The fields of a form for a report, as they were written. */
export type ReportForm = Readonly<Record<'kind' | 'text' | 'email', string>>

/**
 * Returns the report that a form says. Forms send two characters for the end of a line, which count as one.
 * @throws VALIDATION_FAILED
 */
export function parseReport(form: ReportForm): NewPassportReport {
  const email = form.email.trim()
  const report = { kind: form.kind, text: form.text.replaceAll('\r\n', '\n'), ...(email !== '' && { email }) }
  const issues = validateReport(report, '', maxReportLength)
  if (issues.length > 0) throw createValidationProblem(issues.map((issue) => ({ ...issue, path: issue.path.slice(1) })))
  return report as NewPassportReport
}
