import type { Context } from '../../kernel/work.ts'
import { keptContextLoader, type ContextLoader } from './contexts.loader.ts'
import { mapsTerm } from './contexts.ts'
import { presentUntp, untpVersions, withUndefinedTerms, type Credential } from './credential.ts'
import type { KeyRow } from './keys.rows.ts'
import { signWith } from './keys.secret.ts'
import { expandApart } from './proofs.expand.ts'
import { withProof, type Signer } from './proofs.ts'
import { Doubt } from './verify.doubt.ts'

/** A credential as it is stored, with its usual proof, by which key of the organization, and when. */
export interface StoredForm { ld: Buffer; key: string; validFrom: Date }

/**
 * The third form of stored credentials, secured over their RDF: the same credential with every term mapped, signed at the same moment with the
 * same key, unless that one was revoked since. All are expanded in one thread, which begins but once. Of content that
 * RDF cannot tell (an `id` that is no address) there is none: what was not covered would be no part of what is signed.
 * @returns null for each that there is none of. @throws Doubt where nothing can be expanded now
 */
export async function rdfcForms(context: Context, organization: string, stored: readonly StoredForm[]): Promise<(Buffer | null)[]> {
  const keys = await context.db<KeyRow>('certification_keys').where({ organization }).whereNot({ status: 'revoked' })
    .whereIn('id', [...new Set(stored.map(({ key }) => key))])
  const load = keptContextLoader(context.db, context)
  const isMapped = await mapsPassports(load)
  const made: (Buffer | null)[] = []
  // A thread that was given up over one credential is no good for the next.
  while (made.length < stored.length) {
    await expandApart(load, async (canonize) => {
      for (let isFit = true; isFit && made.length < stored.length;) {
        const one = stored[made.length]
        const key = keys.find(({ id }) => id === one?.key)
        const form = one && key && (await withProof(...partsOf(context, one, key, isMapped), canonize).catch((cause: unknown) => {
          isFit = !(cause instanceof Doubt)
          context.log.warn({ err: cause, organization }, 'a credential has no form over its RDF')
          return null
        }))
        made.push(form ? Buffer.from(JSON.stringify(form)) : null)
      }
    })
  }
  return made
}

/** Whether the contexts of UNTP, in the revision that is kept, map the types of a passport. */
async function mapsPassports(load: ContextLoader): Promise<boolean> {
  const { contexts, types } = untpVersions[presentUntp]
  const documents = await Promise.all(contexts.map((url) => load(url)))
  return types.every((type) => documents.some(({ document }) => mapsTerm(document, type)))
}

/** A stored credential without its proof, who signed it, and when. @param isMapped whether the contexts map its types */
function partsOf(context: Context, { ld, validFrom }: StoredForm, key: KeyRow, isMapped: boolean): [Credential, Signer, Date] {
  const { proof, ...credential } = JSON.parse(ld.toString('utf8')) as Credential & { proof: { verificationMethod: string } }
  return [isMapped ? credential : withUndefinedTerms(credential), { verificationMethod: proof.verificationMethod, sign: (bytes) => signWith(context, key, bytes) }, validFrom]
}
