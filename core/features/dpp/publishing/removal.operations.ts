import { answerJson } from '../../../kernel/answer.ts'
import { DryRun, dryRunQuery } from '../../../kernel/dry-run.ts'
import { declareOperation, type Operation } from '../../../kernel/operation.ts'
import { integer, object, uuid } from '../../../kernel/schema.ts'
import { passportList } from '../passports/index.ts'
import { NoBody, limitDescription } from './publish.operations.ts'
import { previewRemoval, startRemoval } from './removal.ts'

const RemovalStarted = object(
  {
    jobId: uuid('The job to follow at /v1/jobs/:jobId.'),
    matched: integer('Passports that the filters match.', { minimum: 0 }),
  },
  { title: 'RemovalStarted', description: 'The work goes on as a job, which tells what it skipped.' },
)

const mcpHints = { destructiveHint: true, idempotentHint: true, openWorldHint: false }

const deletePassports = declareOperation({
  id: 'delete_dpp_passports_v1',
  method: 'POST',
  path: '/v1/dpp/passports/delete',
  access: 'dpp:delete',
  scope: { list: 'application.id' },
  query: dryRunQuery,
  list: { filters: passportList.filters, sorters: passportList.sorters },
  body: NoBody,
  returns: { 200: DryRun, 202: RemovalStarted },
  problemCodes: ['VALIDATION_FAILED'],
  execution: { startsJobType: 'delete', hasDryRun: true },
  document: {
    tag: 'Passports',
    summary: 'Delete passports',
    description: `Deletes what the filters match, except passports with a token. ${limitDescription}`,
    mcpName: 'delete_dpp_passports',
    mcpHints,
    needsConfirmation: true,
    preview: 'always',
  },
}).withTransactionHandler(async ({ caller, page, query: { dryRun }, work }) =>
  dryRun
    ? previewRemoval(work, caller, page, 'delete')
    : answerJson(await startRemoval(work, caller, page, 'delete'), undefined, 202),
)

const archivePassports = declareOperation({
  id: 'archive_dpp_passports_v1',
  method: 'POST',
  path: '/v1/dpp/passports/archive',
  access: 'dpp:update',
  scope: { list: 'application.id' },
  query: dryRunQuery,
  list: { filters: passportList.filters, sorters: passportList.sorters },
  body: NoBody,
  returns: { 200: DryRun, 202: RemovalStarted },
  problemCodes: ['VALIDATION_FAILED'],
  execution: { startsJobType: 'archive', hasDryRun: true },
  document: {
    tag: 'Passports',
    summary: 'Archive passports',
    description: `Archives what the filters match. ${limitDescription}`,
    mcpName: 'archive_dpp_passports',
    mcpHints,
    needsConfirmation: true,
    preview: 'always',
  },
}).withTransactionHandler(async ({ caller, page, query: { dryRun }, work }) =>
  dryRun
    ? previewRemoval(work, caller, page, 'archive')
    : answerJson(await startRemoval(work, caller, page, 'archive'), undefined, 202),
)

export const removalOperations: Operation[] = [deletePassports, archivePassports]
