import { declareOperation, type Operation } from '../../../kernel/operation.ts'
import { NewPassportReport } from './reports.schema.ts'
import { reportPassport } from './reports.ts'

/** The most bytes of a report. Each of its 2,000 characters may be written as two escapes of six bytes. */
const maxBodyBytes = 32_768

/**
 * Everybody may report, from a program or from our own page. Pages of other origins may not, so that no page of a stranger
 * has its visitors report from their addresses.
 */
const report = declareOperation({
  id: 'report_dpp_passport_v1',
  method: 'POST',
  path: '/v1/dpp/passports/:id/reports',
  access: 'public',
  body: NewPassportReport,
  returns: { 204: null },
  transport: { maxBodyBytes },
  document: {
    tag: 'Passports',
    summary: 'Report a passport',
    description:
      'Tells the organization of a public passport that the product is fake, stolen or has a defect. Its members see '
      + 'the report in the console, and an event `update` says that there is one. At most 5 reports of a passport an '
      + 'hour are taken from one address.',
  },
}).withTransactionHandler(({ body, params, request, work }) => reportPassport(work, params.id, body, request.address))

export const reportOperations: Operation[] = [report]
