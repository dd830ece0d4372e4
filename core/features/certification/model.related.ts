import { below } from './model.faults.ts'
import { judgeId, judgeObjects, type Bench } from './model.members.ts'
import { isMediaType } from './model.values.ts'
import { digestsOfMultibase, digestsOfSri } from './related.digests.ts'
import type { Json } from './verify.doubt.ts'

const either = 'digestSRI or digestMultibase'

/**
 * `relatedResource`: objects with an identifier of their own and at least one digest. Source: VC Data Model 2.0,
 * section 5.3.
 */
export function judgeRelated(credential: Json, path: string, bench: Bench): void {
  const { faults } = bench
  const seen = new Set<unknown>()
  judgeObjects(credential, 'relatedResource', path, bench, (resource, at) => {
    judgeId(resource, at, bench, 'required')
    const { id, mediaType, digestSRI, digestMultibase } = resource
    const tell = (name: string, code: string, message: string) => faults.add(below(at, name), code, message)
    if (id !== undefined && seen.has(id)) tell('id', 'duplicate', 'is the id of an earlier related resource')
    seen.add(id)
    if (mediaType !== undefined && !isMediaType(mediaType)) tell('mediaType', 'media_type', 'must be a media type, like text/plain')
    if (digestSRI === undefined && digestMultibase === undefined) faults.add(at, 'digest', `must have ${either}`)
    if (digestSRI !== undefined && !digestsOfSri(digestSRI)) tell('digestSRI', 'digest', 'must be sha256-, sha384- or sha512- and base64')
    if (digestMultibase !== undefined && !digestsOfMultibase(digestMultibase)) {
      tell('digestMultibase', 'digest', 'must be multihashes in base58btc (z…) or base64url (u…)')
    }
  })
}
