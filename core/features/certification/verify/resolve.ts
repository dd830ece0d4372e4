import { parseStrictJson } from '../../../kernel/json/json.ts'
import { didDocumentMediaTypes } from '../did-web/index.ts'
import { parseJwk, parseMultikey, type PublicKey } from '../keys/index.ts'
import { findOwnKey, findOwnKeyOfDomain, type OwnKey } from './resolve.own.ts'
import { isObject, IssuerVerificationError, type JsonObject, toList, VerificationError } from '../formats/index.ts'
import type { VerificationFetcher } from '../contexts/index.ts'
import { parseInstant } from './verify.times.ts'

/** The uses of a key that a controller can allow. */
export type VerificationRelationship = 'assertionMethod' | 'authentication'

const relationshipWords: Record<VerificationRelationship, string> = {
  assertionMethod: 'make assertions',
  authentication: 'show who holds it',
}

/** A key whose controller allows the use that was made of it. */
export interface VerificationMethod {
  /** The name of the key in signatures. */
  id: string
  /** The DID that the key belongs to. */
  controller: string
  publicKey: PublicKey
  /** The stored key, if it belongs to this installation. */
  own: OwnKey | null
}

/** Maximum size of a DID document, in bytes. */
const maxDocumentBytes = 256 * 1024

/**
 * Resolves the key that a signature names. For `did:key` the identifier contains the key. For `did:web` the key comes
 * from the database if a check found that an organization here publishes it, else from the domain.
 * @throws IssuerVerificationError if the identifier does not lead to its own document; VerificationError if the
 * document does not offer the key for this use, or if its type is not supported
 * Source: did:key and did:web method specifications; W3C Controlled Identifiers, section 3.3.
 */
export async function resolveVerificationMethod(
  fetcher: VerificationFetcher,
  id: string,
  relation: VerificationRelationship = 'assertionMethod',
): Promise<VerificationMethod> {
  const [did = '', kid = '', ...more] = id.split('#')
  if (kid === '' || more.length > 0) throw new VerificationError('The signature does not name a key of a DID')
  if (did.startsWith('did:key:')) return resolveDidKey(fetcher, did, kid)
  if (did.startsWith('did:web:')) return resolveDidWeb(fetcher, did, kid, relation)
  if (!/^did:[a-z0-9]+:./.test(did)) throw new IssuerVerificationError('Its identifier is no DID')
  throw new IssuerVerificationError('Its identifier is neither did:key nor did:web, and no other is resolved here', {
    unknown: true,
  })
}

async function resolveDidKey(fetcher: VerificationFetcher, did: string, kid: string): Promise<VerificationMethod> {
  const multikey = did.slice('did:key:'.length)
  if (kid !== multikey) throw new VerificationError('A did:key has no key but the one it is made of')
  const publicKey = parseMultikey(multikey)
  return { id: `${did}#${kid}`, controller: did, publicKey, own: await findOwnEd25519Key(fetcher, publicKey) }
}

async function resolveDidWeb(
  fetcher: VerificationFetcher,
  did: string,
  kid: string,
  relation: VerificationRelationship,
): Promise<VerificationMethod> {
  // The documents of organizations here offer their keys for assertions only.
  const own =
    relation === 'assertionMethod'
      ? await findOwnKeyOfDomain(fetcher.context.db, did.slice('did:web:'.length), kid)
      : null
  const id = `${did}#${kid}`
  if (own) return { id, controller: did, publicKey: { type: 'Ed25519', bytes: own.publicKey }, own }
  const document = await fetchDidDocument(fetcher, did)
  const publicKey = readDocumentKey(document, { did, id, relation }, fetcher.context.clock.now())
  return { id, controller: did, publicKey, own: await findOwnEd25519Key(fetcher, publicKey) }
}

/** Finds a key of this installation, whose organizations sign with Ed25519 only. */
const findOwnEd25519Key = async ({ context }: VerificationFetcher, { type, bytes }: PublicKey) =>
  type === 'Ed25519' ? findOwnKey(context.db, bytes) : null

/** Fetches a DID document. @throws IssuerVerificationError */
async function fetchDidDocument(fetcher: VerificationFetcher, did: string): Promise<JsonObject> {
  try {
    const { body } = await fetcher.get(
      `The DID document of ${did}`,
      getDidDocumentAddress(did),
      didDocumentMediaTypes,
      maxDocumentBytes,
    )
    const document = parseStrictJson(body)
    if (isObject(document) && document['id'] === did) return document
  } catch (cause) {
    if (cause instanceof VerificationError)
      throw new IssuerVerificationError(cause.message, { cause, unknown: cause.unknown })
    throw cause
  }
  throw new IssuerVerificationError(`What ${did} leads to is no DID document of that identifier`)
}

/**
 * Returns the address of the document of a did:web.
 * @throws IssuerVerificationError
 * Source: did:web method specification, section 3.2.
 */
export function getDidDocumentAddress(did: string): string {
  const [host = '', ...path] = did.slice('did:web:'.length).split(':')
  const decodedHost = host.replace(/%3a/i, ':')
  const isPlain =
    /^[a-z0-9.-]+(:\d{1,5})?$/i.test(decodedHost) && path.every((part) => /^(?!\.+$)[\w.~%-]+$/.test(part))
  if (!isPlain) throw new IssuerVerificationError('Its did:web names no host, or no path, that could be asked')
  return `https://${decodedHost}/${path.length === 0 ? '.well-known' : path.join('/')}/did.json`
}

/** Reads the key with this id from a DID document. @throws VerificationError */
function readDocumentKey(
  document: JsonObject,
  { did, id, relation }: { did: string; id: string; relation: VerificationRelationship },
  now: Date,
): PublicKey {
  const isMethodId = (name: unknown) => typeof name === 'string' && (name === id || `${did}${name}` === id)
  const offered = toList(document[relation])
  const methods = [...toList(document['verificationMethod']), ...offered].filter(isObject)
  const method = methods.find((one) => isMethodId(one['id']))
  if (!method) throw new VerificationError('The DID document of the issuer does not have the key')
  if (!offered.some((one) => isMethodId(isObject(one) ? one['id'] : one))) {
    throw new VerificationError(`The DID document of the issuer does not let the key ${relationshipWords[relation]}`)
  }
  if (method['controller'] !== did) throw new VerificationError('The key belongs to another controller than the issuer')
  if (isPast(method['revoked'], 'revoked of the key', now) || isPast(method['expires'], 'expires of the key', now)) {
    throw new VerificationError('The DID document says that the key is over')
  }
  return parsePublicKey(method)
}

/** Checks whether a time of a key is past. @throws VerificationError if the value is no time */
const isPast = (instant: unknown, name: string, now: Date) =>
  instant !== undefined && parseInstant(instant, name) <= now.getTime()

/** Parses the key of a verification method. @throws VerificationError for another form or an unsupported type of key */
function parsePublicKey({ type, publicKeyMultibase, publicKeyJwk }: JsonObject): PublicKey {
  if (type === 'Multikey' && typeof publicKeyMultibase === 'string') return parseMultikey(publicKeyMultibase)
  if ((type === 'JsonWebKey' || type === 'JsonWebKey2020') && isObject(publicKeyJwk)) return parseJwk(publicKeyJwk)
  if (typeof type !== 'string' || type === 'Multikey' || type.startsWith('JsonWebKey'))
    throw new VerificationError('The key is no Multikey and no JsonWebKey')
  throw new VerificationError('The key is no Multikey and no JsonWebKey: another form is not read here', {
    unknown: true,
  })
}
