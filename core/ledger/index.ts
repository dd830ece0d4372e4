export { lockOwnBalance, lockOwnBalances, readBalances } from './balances.ts'
export { ensureBook, findBook, hashOperation } from './books.ts'
export { activateDueLots, expireDueLots, findDueOwners, listDueOwners, readDueBalances } from './due.ts'
export { creditOwners, debitOwners } from './entries.ts'
export { commitHold, HoldEndedError, releaseExpiredHolds, releaseHold, reserveAmount } from './holds.ts'
export { createEntrySource, entryColumns, type EntryRow } from './list.ts'
export { readRemainders } from './remainders.ts'
export { verifyLedger, type LedgerCheck, type LedgerDifference } from './replay.ts'
export { listExpiredParts, ReversalLimitError, reverseEntries, type ExpiredPart } from './reversals.ts'
export {
  createEarlierPostingSql,
  createOwnerEntriesSql,
  createPostedBeforeSql,
  createPostedBetweenSql,
  ownerTotalsSql,
  readLotDates,
  recordedPostingsSql,
  type LotDates,
} from './statement.ts'
export { settleEntries } from './settlements.ts'
export type { Book, BookOwner, EntryOutcome, ExpiredLot, NewReversal, OwnerBalance, PostingResult } from './types.ts'
