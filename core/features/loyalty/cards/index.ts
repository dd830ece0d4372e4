import type { Operation } from '../../../kernel/operation.ts'
import { createWebService, type FetchListener } from './apple/web-service.operations.ts'
import { credentialOperations } from './credentials.operations.ts'
import { googleOperations } from './google/index.ts'
import { issueOperations } from './own/issue.operations.ts'

export type { PushOutcome } from './apple/apns.ts'
export { createPushers } from './apple/pushers.ts'
export { forgetToken } from './cards.ts'
export { cardErasureSql, eraseCards, forgetCards, type Card } from './cards.store.ts'
export { createOwnSaveLink, getObjectId, openGoogle, type GoogleOutcome } from './google/index.ts'
export { readShownCredentials, readWalletCredentials, removeCredentials, setCredentials } from './credentials.ts'
export { NewWalletCredentials, type WalletCredentials } from './credentials.schema.ts'
export { certificateNoticeDays, listEndingCertificates } from './credentials.store.ts'
export {
  countWithheld,
  getChannelCap,
  insertCardMessage,
  listPushTargets,
  noteMessage,
  renewMessage,
  type NoticeRefusal,
  type PushTarget,
} from './notices.ts'
export { makeOwnPass } from './own/apple-pass.ts'
export { listOwnOpenWallets, listOwnWallets, setOwnOptIn, type OwnWallet } from './own/own.ts'
export { sealedWalletSecrets } from './secrets.ts'
export { startCardUpdates } from './updates.ts'
export { resetFutureUpdates } from './updates.store.ts'

/** Creates the operations of cards. @param onFetched what follows when a phone has got a card whole */
export const createCardOperations = (onFetched: FetchListener): Operation[] => [
  ...credentialOperations,
  ...issueOperations,
  ...createWebService(onFetched),
  ...googleOperations,
]
