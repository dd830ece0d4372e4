import { integer } from '../../kernel/schema.ts'

/** A parameter that asks for an earlier version. */
export const versionNumber = () => integer(
  'A version of the credential, from 1; the one that is served without it. Versions that were anchored stay readable while the passport is.',
  { minimum: 1, maximum: 2_147_483_647 })
