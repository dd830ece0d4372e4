import { operation, type Operation } from '../../kernel/operation.ts'
import { notFound } from '../../kernel/problem.ts'
import { optional } from '../../kernel/schema.ts'
import { Anchor, receiptOf } from './anchors.ts'
import { versionNumber } from './credentials.schema.ts'
import { startCertify } from './certify.ts'
import { readPassport } from './passports.ts'
import { passportList } from './passports.schema.ts'
import { JobStarted, Nothing } from './publish.operations.ts'
import { mostUnits } from './units.ts'

const certify = operation({
  id: 'certify_dpp_passports_v1',
  method: 'POST',
  path: '/v1/dpp/passports/certify',
  summary: 'Certify passports',
  description:
    'Signs and anchors a credential of each published or claimed passport that the filters match, with the batches and ' +
    'items of models; without a filter of all that are not certified. What is certified as it is stays so. ' +
    `At most ${mostUnits.toLocaleString('en')} at once (422).`,
  tag: 'Certification',
  access: 'dpp:update',
  list: { filters: passportList.filters, sorters: passportList.sorters },
  starts: 'certify',
  body: Nothing,
  returns: { 202: JobStarted },
  problems: ['VALIDATION_FAILED'],
  mcp: 'certify_dpp_passports',
  hints: { idempotentHint: true },
}).handledBy(({ caller, page, work }) => startCertify(work, caller, page))

const anchor = operation({
  id: 'get_dpp_passport_anchor_v1',
  method: 'GET',
  path: '/v1/dpp/passports/:id/anchor',
  summary: 'Get the anchor of a certificate',
  description: 'The receipt by which anybody checks on chain that the certified content stood there. 404 while there is none.',
  tag: 'Certification',
  access: 'public',
  cors: true,
  query: { version: optional(versionNumber()) },
  returns: { 200: Anchor },
  mcp: 'get_dpp_passport_anchor',
}).readBy(async ({ caller, params, query: { version }, work }) => {
  const { id, status } = await readPassport(work, caller, params.id)
  // Of an archived passport the present receipt is shown, as ever; versions follow the credential, which is gone.
  if (version !== undefined && status === 'archived') throw notFound()
  const receipt = await receiptOf(work.trx, id, version ?? null)
  if (!receipt) throw notFound()
  return receipt
})

export const certifyOperations: Operation[] = [certify, anchor]
