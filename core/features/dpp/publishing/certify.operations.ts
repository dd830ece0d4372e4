import { answerJson } from '../../../kernel/answer.ts'
import { DryRun, dryRunQuery } from '../../../kernel/dry-run.ts'
import { declareOperation, type Operation } from '../../../kernel/operation.ts'
import { createNotFoundProblem } from '../../../kernel/problem.ts'
import { optional } from '../../../kernel/schema.ts'
import { Anchor, createVersionSchema, findAnchorReceipt, startCertification } from '../certificates/index.ts'
import { passportList, readPassport, passportEntity } from '../passports/index.ts'
import { previewCertify } from './preview.ts'
import { NoBody, PassportJobStarted, limitDescription } from './publish.operations.ts'

// Operations that choose passports by filters stand in this room, because `certificates` comes before `selection`.
const certifyPassports = declareOperation({
  id: 'certify_dpp_passports_v1',
  method: 'POST',
  path: '/v1/dpp/passports/certify',
  access: 'dpp:update',
  scope: { list: 'application.id' },
  query: dryRunQuery,
  list: { filters: passportList.filters, sorters: passportList.sorters },
  body: NoBody,
  returns: { 200: DryRun, 202: PassportJobStarted },
  problemCodes: ['VALIDATION_FAILED', 'QUOTA_EXCEEDED'],
  execution: { startsJobType: 'certify', hasDryRun: true },
  document: {
    tag: 'Certification',
    summary: 'Certify passports',
    description:
      'Signs and anchors published and claimed passports, with the batches and items of models. Skips what is certified '
      + `as it is. ${limitDescription}`,
    mcpName: 'certify_dpp_passports',
    mcpHints: { destructiveHint: true, idempotentHint: true, openWorldHint: true },
    needsConfirmation: true,
    preview: 'always',
  },
}).withTransactionHandler(async ({ caller, page, query: { dryRun }, work }) =>
  dryRun
    ? previewCertify(work, caller, page)
    : answerJson(await startCertification(work, caller, page), undefined, 202),
)

const getAnchor = declareOperation({
  id: 'get_dpp_passport_anchor_v1',
  method: 'GET',
  path: '/v1/dpp/passports/:id/anchor',
  access: { rule: 'public', isOpenToAllOrigins: true },
  scope: { params: { id: passportEntity } },
  query: { version: optional(createVersionSchema()) },
  returns: { 200: Anchor },
  document: {
    tag: 'Certification',
    summary: 'Get the anchor of a certificate',
    description:
      'The receipt by which anybody checks on chain that the certified content stood there. 404 while there is none.',
    mcpName: 'get_dpp_passport_anchor',
  },
}).withReadHandler(async ({ caller, params, query: { version }, work }) => {
  const { id, status } = await readPassport(work, caller, params.id)
  // The present receipt of an archived passport stays readable. Earlier versions are not, because the credential is no
  // longer served.
  if (version !== undefined && status === 'archived') throw createNotFoundProblem()
  const receipt = await findAnchorReceipt(work.trx, id, version ?? null)
  if (!receipt) throw createNotFoundProblem()
  return receipt
})

export const certifyOperations: Operation[] = [certifyPassports, getAnchor]
