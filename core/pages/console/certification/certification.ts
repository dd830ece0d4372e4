import { answerRedirect, isAnswer, type Answer } from '../../../kernel/answer.ts'
import { declareOperation, type Operation } from '../../../kernel/operation.ts'
import type { ProblemError } from '../../../kernel/problem.ts'
import { object, oneOf, optional, string } from '../../../kernel/schema.ts'
import {
  listShownKeys,
  listStatusLists,
  prepareSuites,
  readDidWebConfig,
  readSuites,
  type CertificationKey,
} from '../../../features/certification/index.ts'
import { may, memberPageOptions } from '../console.ts'
import { getRefusal } from '../frame/forms.views.ts'
import { openPage, renderFramed, type ConsolePage } from '../frame/frame.ts'
import { answerCsv, type CsvColumns } from '../frame/lists.ts'
import { certificationPath as path, maxShown, renderCertification } from './certification.views.ts'
import { certificationWords } from './words.ts'
import { getProblemStatus } from '../../site/layout.ts'

/** Keys, domain, status lists and forms of an organization. */
const showOperation = declareOperation({
  id: 'console_certification_page_v1',
  method: 'GET',
  path,
  ...memberPageOptions,
  query: { saved: optional(string('Whether a change has just been kept.', { maxLength: 3 })) },
  document: { tag: 'Pages', summary: 'Certification of the organization' },
}).withReadHandler(async (input) => {
  const page = openPage(input, path, 'dpp:read')
  return isAnswer(page) ? page : renderOverview(page, { isSaved: input.query.saved !== undefined })
})

async function renderOverview(
  page: ConsolePage,
  { isSaved = false, problem }: { isSaved?: boolean; problem?: ProblemError },
): Promise<Answer> {
  const { member, work, language } = page
  const { organization } = member
  // The first key of an organization is made here, before the others ask for it.
  const keys = await listShownKeys(work, organization)
  const [config, suites, lists] = await Promise.all([
    readDidWebConfig(work.trx, work.context, organization),
    readSuites(work.trx, organization),
    listStatusLists(work, organization, maxShown.lists),
  ])
  const view = { keys, config, suites, lists, mayUpdate: may(member, 'dpp:update'), isSaved, problem }
  const { title } = certificationWords[language]
  return renderFramed(page, { title, ...getProblemStatus(problem) }, renderCertification(page, view))
}

const formatNetworks = ({ networks }: CertificationKey): string =>
  networks.map(({ network, status }) => `${network}:${status}`).join(' ')

const columns: CsvColumns<CertificationKey> = [
  ['id', ({ id }) => id],
  ['kid', ({ kid }) => kid],
  ['did', ({ did }) => did],
  ['status', ({ status }) => status],
  ['networks', formatNetworks],
  ['created_at', ({ createdAt }) => createdAt],
  ['rotated_at', ({ rotatedAt }) => rotatedAt],
  ['revoked_at', ({ revokedAt }) => revokedAt],
]

/** The CSV file of all keys. */
const fileOperation = declareOperation({
  id: 'console_certification_keys_file_v1',
  method: 'GET',
  path: `${path}/keys.csv`,
  ...memberPageOptions,
  returns: { 200: { type: 'text/csv', description: 'The keys.' } },
  document: { tag: 'Pages', summary: 'Certification keys as CSV' },
}).withReadHandler(async (input) => {
  const page = openPage(input, path, 'dpp:read')
  if (isAnswer(page)) return page
  return answerCsv('certification-keys', columns, [await listShownKeys(page.work, page.member.organization)])
})

const formsOperation = declareOperation({
  id: 'console_certification_forms_page_v1',
  method: 'POST',
  path: `${path}/forms`,
  ...memberPageOptions,
  body: object({
    jcs: oneOf(['yes'], 'Proofs over JSON, which are always made.'),
    rdfc: optional(string('Whether proofs over RDF are made too.', { maxLength: 3 })),
  }),
  document: { tag: 'Pages', summary: 'Choose the forms of certificates' },
}).withOutboundHandler(async (input) => {
  const page = openPage(input, path, 'dpp:update')
  if (isAnswer(page)) return page
  const chosen = ['eddsa-jcs-2022', ...(input.body.rdfc === undefined ? [] : (['eddsa-rdfc-2022'] as const))] as const
  try {
    const store = await prepareSuites(input.context, page.member.organization, chosen)
    return await input.finish(async (work) => {
      await store(work)
      return answerRedirect(`${path}?saved=yes`, undefined, 303)
    })
  } catch (cause) {
    return renderOverview(page, { problem: getRefusal(cause) })
  }
})

export const certificationPages: Operation[] = [showOperation, fileOperation, formsOperation]
