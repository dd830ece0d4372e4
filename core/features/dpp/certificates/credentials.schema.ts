import { integer } from '../../../kernel/schema.ts'

/** Creates the schema of the parameter that selects an earlier version. */
export const createVersionSchema = () =>
  integer(
    'A version of the credential, from 1; the one that is served without it. Versions that were anchored stay readable while the passport is.',
    { minimum: 1, maximum: 2_147_483_647 },
  )
