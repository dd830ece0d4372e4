import type { Operation } from '../../../kernel/operation.ts'
import { webServiceOperations } from './apple/web-service.operations.ts'
import { credentialOperations } from './credentials.operations.ts'
import { issueOperations } from './issue.operations.ts'

export type { Push, Pusher, PushOutcome } from './apple/apns.ts'
export { createPushers, type Pushers } from './apple/pushers.ts'
export { forgetToken } from './cards.ts'
export {
  cardErasureSql,
  eraseCards,
  findCard,
  forgetCards,
  putMessage,
  touchCards,
  type Card,
  type CardMessage,
} from './cards.store.ts'
export { readCardContents, type CardContent } from './content.ts'
export { readWalletCredentials, type AppleCredentials, type GoogleCredentials } from './credentials.ts'
export { findRegistrations, type Registration } from './registrations.store.ts'
export { sealedWalletSecrets } from './secrets.ts'
export { startCardUpdates } from './updates.ts'
export const cardOperations: Operation[] = [...credentialOperations, ...issueOperations, ...webServiceOperations]
