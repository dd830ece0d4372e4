import type { Operation } from '../../../kernel/operation.ts'
import { credentialOperations } from './credentials.operations.ts'
import { googleOperations } from './google/index.ts'

export { addToWallet, removeFromWallet } from './cards.ts'
export { eraseCards, findCard, forgetCards, touchCards, type Card, type CardMessage } from './cards.store.ts'
export { getObjectId, openGoogle, type GoogleOutcome } from './google/index.ts'
export { readCardContents, type CardContent } from './content.ts'
export {
  readShownCredentials,
  readWalletCredentials,
  removeCredentials,
  setCredentials,
  type AppleCredentials,
  type GoogleCredentials,
} from './credentials.ts'
export type { NewWalletCredentials, WalletCredentials } from './credentials.schema.ts'
export { countWithheld, insertCardMessage, listPushTargets, noteMessage, type NoticeRefusal } from './notices.ts'
export { sealedWalletSecrets } from './secrets.ts'
export const cardOperations: Operation[] = [...credentialOperations, ...googleOperations]
