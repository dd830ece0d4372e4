import { joinPath } from './model.issues.ts'
import { validateId, validateObjects, type ValidationScope } from './model.members.ts'
import { isMediaType, type JsonObject } from '../formats/index.ts'
import { parseMultibaseDigests, parseSriDigests } from '../contexts/index.ts'

const digestMembers = 'digestSRI or digestMultibase'

/**
 * Validates `relatedResource`: objects with distinct identifiers and at least one digest each. Source: VC Data Model
 * 2.0, section 5.3.
 */
export function validateRelatedResources(credential: JsonObject, path: string, scope: ValidationScope): void {
  const { issues } = scope
  const seenIds = new Set<unknown>()
  validateObjects(credential, 'relatedResource', path, scope, (resource, at) => {
    validateId(resource, at, scope, 'required')
    const { id, mediaType, digestSRI, digestMultibase } = resource
    const addIssue = (name: string, code: string, message: string) => issues.add(joinPath(at, name), code, message)
    if (id !== undefined && seenIds.has(id)) addIssue('id', 'duplicate', 'is the id of an earlier related resource')
    seenIds.add(id)
    if (mediaType !== undefined && !isMediaType(mediaType))
      addIssue('mediaType', 'media_type', 'must be a media type, like text/plain')
    if (digestSRI === undefined && digestMultibase === undefined) issues.add(at, 'digest', `must have ${digestMembers}`)
    if (digestSRI !== undefined && !parseSriDigests(digestSRI))
      addIssue('digestSRI', 'digest', 'must be sha256-, sha384- or sha512- and base64')
    if (digestMultibase !== undefined && !parseMultibaseDigests(digestMultibase)) {
      addIssue('digestMultibase', 'digest', 'must be multihashes in base58btc (z…) or base64url (u…)')
    }
  })
}
