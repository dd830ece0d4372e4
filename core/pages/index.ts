import type { Operation } from '../kernel/operation.ts'
import { assetOperations } from './assets.ts'
import { claimOperations } from './claim.ts'
import { docsOperation } from './docs.ts'
import { importPages } from './imports.ts'
import { newImportPages } from './import-new.ts'
import { outboxOperations } from './outbox.ts'
import { passportPages } from './passport.ts'
import { resolverOperations } from './resolver.ts'
import { sessionPages } from './sessions/sessions.ts'
import { signInOperations } from './sign-in.ts'
import { tokenMetadata } from './token.ts'

/** Every page for people. */
export const pageOperations: Operation[] = [
  ...assetOperations, ...passportPages, tokenMetadata, ...resolverOperations, ...claimOperations, docsOperation, ...signInOperations,
  ...sessionPages, ...newImportPages, ...importPages, ...outboxOperations,
]
