import { parseStrictly } from '../../kernel/json.ts'
import { documentTypes } from './did-web.check.ts'
import { publicKeyOfJwk, publicKeyOfMultikey, type PublicKey } from './public-keys/public-key.ts'
import { ownKey, ownKeyOfDomain, type OwnKey } from './resolve.own.ts'
import { asList, Doubt, IssuerDoubt, isObject, type Json } from './verify.doubt.ts'
import type { Reach } from './verify.reach.ts'
import { instantOf } from './verify.times.ts'

/** What a controller lets its keys do. */
export type Relation = 'assertionMethod' | 'authentication'

const told: Record<Relation, string> = { assertionMethod: 'make assertions', authentication: 'show who holds it' }

/** A key that its controller lets do what it was used for. */
export interface Method {
  /** What signatures name. */
  id: string
  /** The identifier that it belongs to. */
  controller: string
  publicKey: PublicKey
  /** Where it is one of this installation. */
  own: OwnKey | null
}

/** Bytes of a DID document. */
const mostDocument = 256 * 1024

/**
 * The key that a signature names: of `did:key` out of the identifier itself; of `did:web` as the database has it where
 * an organization here was seen to publish it, else from the domain. @throws IssuerDoubt where the identifier leads to
 * no document of its own, Doubt for a key that the document does not offer for this, or that is of a type not judged here
 * Source: did:key and did:web method specifications; W3C Controlled Identifiers, section 3.3.
 */
export async function resolveMethod(reach: Reach, id: string, relation: Relation = 'assertionMethod'): Promise<Method> {
  const [did = '', kid = '', ...more] = id.split('#')
  if (kid === '' || more.length > 0) throw new Doubt('The signature does not name a key of a DID')
  if (did.startsWith('did:key:')) return ofKey(reach, did, kid)
  if (did.startsWith('did:web:')) return ofWeb(reach, did, kid, relation)
  if (!/^did:[a-z0-9]+:./.test(did)) throw new IssuerDoubt('Its identifier is no DID')
  throw new IssuerDoubt('Its identifier is neither did:key nor did:web, and no other is resolved here', { unknown: true })
}

async function ofKey(reach: Reach, did: string, kid: string): Promise<Method> {
  const multikey = did.slice('did:key:'.length)
  if (kid !== multikey) throw new Doubt('A did:key has no key but the one it is made of')
  const publicKey = publicKeyOfMultikey(multikey)
  return { id: `${did}#${kid}`, controller: did, publicKey, own: await ownKeyOf(reach, publicKey) }
}

async function ofWeb(reach: Reach, did: string, kid: string, relation: Relation): Promise<Method> {
  // What organizations here publish offers their keys for assertions alone.
  const own = relation === 'assertionMethod' ? await ownKeyOfDomain(reach.context.db, did.slice('did:web:'.length), kid) : null
  const id = `${did}#${kid}`
  if (own) return { id, controller: did, publicKey: { type: 'Ed25519', bytes: own.publicKey }, own }
  const document = await documentOf(reach, did)
  const publicKey = keyIn(document, { did, id, relation }, reach.context.clock.now())
  return { id, controller: did, publicKey, own: await ownKeyOf(reach, publicKey) }
}

/** Organizations here sign with Ed25519. */
const ownKeyOf = async ({ context }: Reach, { type, bytes }: PublicKey) => type === 'Ed25519' ? ownKey(context.db, bytes) : null

/** @throws IssuerDoubt */
async function documentOf(reach: Reach, did: string): Promise<Json> {
  try {
    const { body } = await reach.get(`The DID document of ${did}`, documentAddress(did), documentTypes, mostDocument)
    const document = parseStrictly(body)
    if (isObject(document) && document['id'] === did) return document
  } catch (cause) {
    if (cause instanceof Doubt) throw new IssuerDoubt(cause.message, { cause, unknown: cause.unknown })
    throw cause
  }
  throw new IssuerDoubt(`What ${did} leads to is no DID document of that identifier`)
}

/** Where a did:web publishes its document. @throws IssuerDoubt. Source: did:web method specification, section 3.2. */
export function documentAddress(did: string): string {
  const [host = '', ...path] = did.slice('did:web:'.length).split(':')
  const named = host.replace(/%3a/i, ':')
  const isPlain = /^[a-z0-9.-]+(:\d{1,5})?$/i.test(named) && path.every((part) => /^(?!\.+$)[\w.~%-]+$/.test(part))
  if (!isPlain) throw new IssuerDoubt('Its did:web names no host, or no path, that could be asked')
  return `https://${named}/${path.length === 0 ? '.well-known' : path.join('/')}/did.json`
}

/** The key of a document under a name. @throws Doubt */
function keyIn(document: Json, { did, id, relation }: { did: string; id: string; relation: Relation }, now: Date): PublicKey {
  const isIt = (name: unknown) => typeof name === 'string' && (name === id || `${did}${name}` === id)
  const offered = asList(document[relation])
  const methods = [...asList(document['verificationMethod']), ...offered].filter(isObject)
  const method = methods.find((one) => isIt(one['id']))
  if (!method) throw new Doubt('The DID document of the issuer does not have the key')
  if (!offered.some((one) => isIt(isObject(one) ? one['id'] : one))) {
    throw new Doubt(`The DID document of the issuer does not let the key ${told[relation]}`)
  }
  if (method['controller'] !== did) throw new Doubt('The key belongs to another controller than the issuer')
  if (isPast(method['revoked'], 'revoked of the key', now) || isPast(method['expires'], 'expires of the key', now)) {
    throw new Doubt('The DID document says that the key is over')
  }
  return publicKeyOf(method)
}

/** @throws Doubt for what is no instant */
const isPast = (instant: unknown, name: string, now: Date) => instant !== undefined && instantOf(instant, name) <= now.getTime()

/** @throws Doubt for another form, or another type of key */
function publicKeyOf({ type, publicKeyMultibase, publicKeyJwk }: Json): PublicKey {
  if (type === 'Multikey' && typeof publicKeyMultibase === 'string') return publicKeyOfMultikey(publicKeyMultibase)
  if ((type === 'JsonWebKey' || type === 'JsonWebKey2020') && isObject(publicKeyJwk)) return publicKeyOfJwk(publicKeyJwk)
  if (typeof type !== 'string' || type === 'Multikey' || type.startsWith('JsonWebKey')) throw new Doubt('The key is no Multikey and no JsonWebKey')
  throw new Doubt('The key is no Multikey and no JsonWebKey: another form is not read here', { unknown: true })
}
