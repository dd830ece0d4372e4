export { AccountModel } from './accounts.model.ts'
export { Account } from './accounts.schema.ts'
export { ensureAccount, findPresentedAccount } from './accounts.ts'
