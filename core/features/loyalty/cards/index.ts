import type { Operation } from '../../../kernel/operation.ts'
import { createWebService, type FetchListener } from './apple/web-service.operations.ts'
import { credentialOperations } from './credentials.operations.ts'
import { googleOperations } from './google/index.ts'
import { issueOperations } from './own/issue.operations.ts'

export type { Push, Pusher, PushOutcome } from './apple/apns.ts'
export { createPushers, type Pushers } from './apple/pushers.ts'
export { addToWallet, ensureOwnCard, forgetToken, removeFromWallet } from './cards.ts'
export {
  cardErasureSql,
  eraseCards,
  findCard,
  forgetCards,
  touchCards,
  type Card,
  type CardMessage,
} from './cards.store.ts'
export {
  createOwnSaveLink,
  getObjectId,
  openGoogle,
  type GoogleClient,
  type GoogleIssuer,
  type GoogleMessage,
  type GoogleOutcome,
} from './google/index.ts'
export { readCardContents, type CardContent } from './content.ts'
export {
  readShownCredentials,
  readWalletCredentials,
  removeCredentials,
  setCredentials,
  type AppleCredentials,
  type GoogleCredentials,
} from './credentials.ts'
export { NewWalletCredentials, type WalletCredentials } from './credentials.schema.ts'
export { certificateNoticeDays, listEndingCertificates } from './credentials.store.ts'
export {
  countWithheld,
  getChannelCap,
  insertCardMessage,
  listPushTargets,
  noteMessage,
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
