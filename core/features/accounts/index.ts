export { AccountModel } from './accounts.model.ts'
export { Account, AccountUser } from './accounts.schema.ts'
export { ensureAccount, findAccount, showAccount, walletOf, type AccountHolder } from './accounts.ts'
