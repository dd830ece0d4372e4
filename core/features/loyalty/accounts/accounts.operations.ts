import { dryRunQuery, orDryRun } from '../../../kernel/dry-run.ts'
import { declareOperation, type Operation } from '../../../kernel/operation.ts'
import { updateAccount } from './accounts.change.ts'
import { deleteAccount, eraseKey, previewDeletion } from './accounts.delete.ts'
import { listAccounts, readAccount } from './accounts.reads.ts'
import { Account, AccountList, accountList, AccountPatch } from './accounts.schema.ts'
import { accountEntity } from '../../accounts/index.ts'

const tag = 'Accounts'

const listAccountsOperation = declareOperation({
  id: 'list_accounts_v1',
  method: 'GET',
  path: '/v1/accounts',
  access: 'loyalty:read',
  scope: { list: 'application.id' },
  list: accountList,
  returns: { 200: AccountList },
  document: {
    tag,
    summary: 'List accounts',
    description: 'People of all applications of the organization, the newest first.',
    mcpName: 'list_accounts',
  },
}).withReadHandler(({ caller, page, work }) => listAccounts(work, caller, page))

const readAccountOperation = declareOperation({
  id: 'get_account_v1',
  method: 'GET',
  path: '/v1/accounts/:id',
  access: 'loyalty:read',
  scope: { params: { id: accountEntity } },
  returns: { 200: Account },
  transport: { hasEtag: true, selectsFields: true },
  document: {
    tag,
    summary: 'Read an account',
    description: 'Its person, points and passports.',
    mcpName: 'get_account',
  },
}).withReadHandler(({ caller, params, work }) => readAccount(work, caller, params.id))

const updateAccountOperation = declareOperation({
  id: 'update_account_v1',
  method: 'PATCH',
  path: '/v1/accounts/:id',
  access: 'loyalty:update',
  scope: { params: { id: accountEntity } },
  body: AccountPatch,
  returns: { 200: Account },
  problemCodes: ['ACCOUNT_REWARD_TIER_NOT_FOUND', 'QUOTA_EXCEEDED'],
  transport: { hasEtag: true },
  document: {
    tag,
    summary: 'Change an account',
    description: 'Its tier, customer, opt-in and visits.',
    mcpName: 'update_account',
  },
}).withTransactionHandler(({ body, caller, params, precondition, work }) =>
  updateAccount(work, caller, params.id, { patch: body, precondition }),
)

const deleteAccountOperation = declareOperation({
  id: 'delete_account_v1',
  method: 'DELETE',
  path: '/v1/accounts/:id',
  access: 'loyalty:delete',
  scope: { params: { id: accountEntity } },
  query: dryRunQuery,
  returns: { 200: orDryRun(Account) },
  transport: { hasEtag: true },
  execution: { hasDryRun: true },
  document: {
    tag,
    summary: 'Delete an account',
    description: 'Erases its person, sessions and the keys of its wallet; entries and passports stay without a person.',
    mcpName: 'delete_account',
    needsConfirmation: true,
    preview: 'always',
  },
}).withOutboundHandler(async ({ caller, context, finish, params, precondition, query, work }) => {
  const account = await readAccount(work, caller, params.id)
  precondition(account)
  if (query.dryRun) return previewDeletion(account)
  await eraseKey(context, account)
  return finish((inner) => deleteAccount(inner, caller, { id: params.id, precondition }))
})

export const accountOperations: Operation[] = [
  listAccountsOperation,
  readAccountOperation,
  updateAccountOperation,
  deleteAccountOperation,
]
