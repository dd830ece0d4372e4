import { parseReport, readPassportView, reportPassport } from '../../features/dpp/index.ts'
import { answerRedirect } from '../../kernel/answer.ts'
import { declareOperation, type Operation, type RequestDetails } from '../../kernel/operation.ts'
import { createNotFoundProblem, ProblemError } from '../../kernel/problem.ts'
import { object, optional, string } from '../../kernel/schema.ts'
import type { Context } from '../../kernel/work.ts'
import { dressReader } from '../site/brand.views.ts'
import { detectReader, keepLanguage, languageParameter } from '../site/reader.ts'
import { getReportAddress, renderReportForm, renderReportSent, type ReportPage } from './report.views.ts'

const tag = 'Pages'
const path = '/p/:id/report'
const htmlResponse = { 200: { type: 'text/html', description: 'The page.' } } as const

/** The most bytes of the form: a text of 2,000 characters that are percent-encoded as four bytes each. */
const maxBodyBytes = 32_768

/** @throws NOT_FOUND for a passport that is not public */
async function openPage(
  context: Context,
  passport: string,
  request: RequestDetails,
  language: string | undefined,
): Promise<ReportPage> {
  const reader = detectReader(request, language)
  const view = await readPassportView(context.db, passport, reader.language)
  if (!view) throw createNotFoundProblem()
  return { view, reader: await dressReader(context, reader, { ...view, theme: view.application.theme }) }
}

/** The form by which anybody tells the organization of a passport what they saw. */
const formOperation = declareOperation({
  id: 'passport_report_form_v1',
  method: 'GET',
  path,
  access: 'public',
  query: {
    lang: languageParameter,
    sent: optional(string('`yes` after a report was taken.', { maxLength: 20 })),
  },
  returns: htmlResponse,
  transport: { page: true },
  document: { tag, summary: 'A form to report a passport' },
}).withReadHandler(async ({ params, query, request, work }) => {
  const page = await openPage(work.context, params.id, request, query.lang)
  return query.sent === 'yes' ? renderReportSent(page) : renderReportForm(page)
})

/** Takes the form. The page that follows can be opened again without a second report. */
const sendOperation = declareOperation({
  id: 'passport_report_send_v1',
  method: 'POST',
  path,
  access: 'public',
  body: object({
    kind: optional(string('What it is.', { maxLength: 20 })),
    text: optional(string('What was seen.', { maxLength: 8_000 })),
    email: optional(string('Where they can be asked further.', { maxLength: 320 })),
    lang: languageParameter,
  }),
  returns: htmlResponse,
  transport: { page: true, maxBodyBytes },
  document: { tag, summary: 'Report a passport' },
}).withOutboundHandler(async ({ body, context, finish, params, request }) => {
  const page = await openPage(context, params.id, request, body.lang)
  const { kind = '', text = '', email = '' } = body
  const form = { kind, text, email }
  try {
    const report = parseReport(form)
    return await finish(async (work) => {
      await reportPassport(work, params.id, report, request.address)
      return answerRedirect(keepLanguage(`${getReportAddress(params.id)}?sent=yes`, page.reader), undefined, 303)
    })
  } catch (error) {
    if (!(error instanceof ProblemError) || error.status === 404) throw error
    return renderReportForm(page, { form, problem: error })
  }
})

export const passportReportPages: Operation[] = [formOperation, sendOperation]
