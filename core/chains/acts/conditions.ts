import { listedPointsActs, listedRecordActs, listedTokenActs, sharedContracts } from './acts.ts'

/**
 * Creates the SQL condition that a column is one of the kinds. The partial indexes of the queue have conditions of the
 * same form.
 */
function createKindCondition(column: string, acts: readonly { kind: string }[]): string {
  const kinds = acts.map(({ kind }) => `'${kind}'`)
  return kinds.length === 1 ? `${column} = ${kinds.join('')}` : `${column} in (${kinds.join(', ')})`
}

/** SQL conditions on the kind of an operation. Each takes the column with the kind. */
export const isBatchedToken = (column: string) =>
  createKindCondition(
    column,
    listedTokenActs.filter((act) => act.isBatched),
  )
export const isSingleToken = (column: string) =>
  createKindCondition(
    column,
    listedTokenActs.filter((act) => !act.isBatched),
  )
export const isConsented = (column: string) =>
  createKindCondition(
    column,
    listedTokenActs.filter((act) => act.needsConsent),
  )
export const isPoints = (column: string) => createKindCondition(column, listedPointsActs)
export const isMint = (column: string) =>
  createKindCondition(
    column,
    listedTokenActs.filter((act) => act.isMint),
  )
export const isRecord = (column: string) => createKindCondition(column, listedRecordActs)
export const isExclusiveRecord = (column: string) =>
  createKindCondition(
    column,
    listedRecordActs.filter((act) => act.isExclusive),
  )
export const isRecordOfContract = (column: string, contract: string) =>
  createKindCondition(
    column,
    listedRecordActs.filter((act) => act.contract === contract),
  )

/** Creates the SQL condition that a column with the kind of a transaction is a batch of tokens. */
export const isTokenBatch = (column: string) =>
  createKindCondition(
    column,
    listedTokenActs.filter((act) => act.isBatched).map(({ transactionKind }) => ({ kind: transactionKind })),
  )

/** Creates the SQL condition that a column with the kind of a transaction changes points. */
export const isPointsTransaction = (column: string) =>
  createKindCondition(
    column,
    listedPointsActs.map(({ transactionKind }) => ({ kind: transactionKind })),
  )

/** Creates the SQL condition that a column with the kind of a contract is one of points. */
export const isPointsContract = (column: string) =>
  createKindCondition(
    column,
    listedPointsActs.map(({ contract }) => ({ kind: contract })),
  )

/** Creates the SQL condition that a column with the kind of a contract is one that keeps roots. */
export const isRootsContract = (column: string) =>
  createKindCondition(
    column,
    listedRecordActs.filter((act) => act.getRoot !== undefined).map(({ contract }) => ({ kind: contract })),
  )

/** Creates the SQL expression of the contract that a record goes to. */
export const createRecordContractSql = (column: string) =>
  `case ${sharedContracts.map((contract) => `when ${isRecordOfContract(column, contract)} then '${contract}'`).join(' ')} end`
