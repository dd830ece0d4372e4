import type { Context } from '../../../kernel/work.ts'
import {
  addUndefinedTermsContext,
  type ContextLoader,
  createStoredContextLoader,
  type Credential,
  currentUntpVersion,
  isTermMapped,
  untpVersions,
} from '../contexts/index.ts'
import { type KeyRow, signWithKey } from '../keys/index.ts'
import { addProof, type CredentialSigner, runWithCanonizer } from '../suites/index.ts'
import { VerificationError } from '../formats/index.ts'

/** A stored credential in its embedded form, with the id of its signing key and its start of validity. */
export interface StoredCredential {
  ld: Buffer
  key: string
  validFrom: Date
}

/**
 * Creates the third form of stored credentials, which is signed over their RDF. It is the same credential with every
 * term mapped, signed for the same time with the same key, unless that key has since been revoked. One thread expands
 * all credentials; a new thread replaces it only after a failure. Content that RDF cannot express (an `id` that is no
 * address) has no such form, because the signature would not cover all of it.
 * @returns null for each credential without this form
 * @throws VerificationError if nothing can be expanded now
 */
export async function createRdfcForms(
  context: Context,
  organization: string,
  stored: readonly StoredCredential[],
): Promise<(Buffer | null)[]> {
  const keys = await context
    .db<KeyRow>('certification_keys')
    .where({ organization })
    .whereNot({ status: 'revoked' })
    .whereIn('id', [...new Set(stored.map(({ key }) => key))])
  const load = createStoredContextLoader(context.db, context)
  const isMapped = await arePassportTypesMapped(load)
  const forms: (Buffer | null)[] = []
  // A thread whose expansion was aborted cannot expand the next credential.
  while (forms.length < stored.length) {
    await runWithCanonizer(load, async (canonize) => {
      for (let isThreadUsable = true; isThreadUsable && forms.length < stored.length;) {
        const one = stored[forms.length]
        const key = keys.find(({ id }) => id === one?.key)
        const form =
          one
          && key
          && (await addProof(...getSigningInput(context, one, key, isMapped), canonize).catch((cause: unknown) => {
            isThreadUsable = !(cause instanceof VerificationError)
            context.log.warn({ err: cause, organization }, 'a credential has no form over its RDF')
            return null
          }))
        forms.push(form ? Buffer.from(JSON.stringify(form)) : null)
      }
    })
  }
  return forms
}

/** Checks whether the stored revision of UNTP's contexts maps the types of a passport. */
async function arePassportTypesMapped(load: ContextLoader): Promise<boolean> {
  const { contexts, types } = untpVersions[currentUntpVersion]
  const documents = await Promise.all(contexts.map((url) => load(url)))
  return types.every((type) => documents.some(({ document }) => isTermMapped(document, type)))
}

/**
 * Returns a stored credential without its proof, its signer and its time.
 * @param isMapped whether the contexts map its types
 */
function getSigningInput(
  context: Context,
  { ld, validFrom }: StoredCredential,
  key: KeyRow,
  isMapped: boolean,
): [Credential, CredentialSigner, Date] {
  const { proof, ...credential } = JSON.parse(ld.toString('utf8')) as Credential & {
    proof: { verificationMethod: string }
  }
  return [
    isMapped ? credential : addUndefinedTermsContext(credential),
    { verificationMethod: proof.verificationMethod, sign: (bytes) => signWithKey(context, key, bytes) },
    validFrom,
  ]
}
