import type { Operation } from '../kernel/operation.ts'
import { assetOperations } from './site/assets.ts'
import { claimOperations } from './claim/claim.ts'
import { docsOperation } from './docs/docs.ts'
import { importPages } from './console/imports.ts'
import { newImportPages } from './console/import-new.ts'
import { outboxOperations } from './console/outbox.ts'
import { passportPages } from './passport/passport.ts'
import { resolverOperations } from './passport/resolver.ts'
import { sessionPages } from './console/sessions.ts'
import { signInOperations } from './console/sign-in.ts'
import { tokenMetadata } from './passport/token.ts'

/** The operations of all pages for people. */
export const pageOperations: Operation[] = [
  ...assetOperations,
  ...passportPages,
  tokenMetadata,
  ...resolverOperations,
  ...claimOperations,
  docsOperation,
  ...signInOperations,
  ...sessionPages,
  ...newImportPages,
  ...importPages,
  ...outboxOperations,
]
