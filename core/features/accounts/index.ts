export { networkNames } from '../../chains/networks.ts'
export {
  type AudienceFilter,
  type AudiencePart,
  createAccountJoinSql,
  createAudienceParts,
  createReachableSql,
  createReachSql,
} from './accounts.audience.ts'
export {
  type AccountFigures,
  type KeptFigures,
  listFigures,
  notePassports,
  recordActivity,
  recordFigures,
} from './accounts.figures.ts'
export { type AccountPerson, recordPersons } from './accounts.persons.ts'
export { eraseAccount, erasedAccountSql, eraseWalletKey } from './accounts.erase.ts'
export { type CardChannel, cardChannels, readCardAccounts, recordCard } from './accounts.cards.ts'
export { AccountModel } from './accounts.model.ts'
export { SessionAccount } from './accounts.schema.ts'
export {
  accountEntity,
  accountColumns,
  type AccountRow,
  type Contacts,
  createAccountSource,
  ensureAccount,
  findAccountByCustomer,
  findAccountsByContacts,
  findPresentedAccount,
  holdAccount,
  listAccountHolders,
  readOwnAccounts,
  readPersonAccounts,
} from './accounts.ts'
export {
  activeMonthSql,
  type CountingOptions,
  countReceiver,
  countWallet,
  listNewcomers,
  newWalletsSql,
  walletMonthSql,
} from './accounts.usage.ts'
export { countAccountsByTier } from './accounts.tiers.ts'
export {
  type AccountPlace,
  type AccountProfile,
  changeProfile,
  countTierAccounts,
  fixTiers,
  findProfile,
  isTierFixed,
  listAccountsBehind,
  listDueAccounts,
  lockProfiles,
  type ProfileChange,
  recordTiers,
  setFreeCustomer,
} from './accounts.profiles.ts'
