import type { Operation } from '../../../../kernel/operation.ts'
import { googleCallbackOperations } from './callbacks/callbacks.operations.ts'
import { googleLogoOperations } from './logo.operations.ts'
import { googlePassOperations } from './pass.operations.ts'

export type { GoogleClient, GoogleMessage } from './client.ts'
export type { GoogleOutcome } from './outcomes.ts'
export { createOwnSaveLink } from './pass.ts'
export { openGoogle, type GoogleIssuer } from './service.ts'
export { getObjectId } from './templates.ts'
export const googleOperations: Operation[] = [
  ...googlePassOperations,
  ...googleLogoOperations,
  ...googleCallbackOperations,
]
