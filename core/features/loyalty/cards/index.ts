import type { Operation } from '../../../kernel/operation.ts'
import { webServiceOperations } from './apple/web-service.operations.ts'
import { credentialOperations } from './credentials.operations.ts'
import { googleOperations } from './google/index.ts'
import { issueOperations } from './issue.operations.ts'

export { addToWallet, removeFromWallet } from './cards.ts'
export {
  eraseCards,
  findCard,
  forgetCards,
  putMessage,
  touchCards,
  type Card,
  type CardMessage,
} from './cards.store.ts'
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
export { sealedWalletSecrets } from './secrets.ts'
export const cardOperations: Operation[] = [
  ...credentialOperations,
  ...issueOperations,
  ...googleOperations,
  ...webServiceOperations,
]
