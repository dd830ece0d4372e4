import { randomBytes } from 'node:crypto'
import { isRecord } from '../../../tools/openapi.ts'
import type { ClientCapabilities } from '../methods/method-call.ts'
import type { Sealer } from '../../shared/seal.ts'
import { isRevision, type Revision } from './revisions.ts'

/** The content of a session id, with which each process can continue the session. */
export interface SessionState {
  /** The name of the session among the processes; it means nothing to anybody else. */
  readonly name: string
  readonly revision: Revision
  /** The capabilities that the client declared. */
  readonly capabilities: ClientCapabilities
  /** The time at which the session ends even if it is in use, in seconds since 1970. */
  readonly expiresAtSeconds: number
}

/** The longest duration of a session, in seconds. */
const maxSessionSeconds = 24 * 60 * 60

/** The longest text of a client's capabilities in a session id, in characters of JSON. */
const maxCapabilitiesLength = 512

export function createSessionState(revision: Revision, params: unknown): SessionState {
  const statedCapabilities = isRecord(params) ? params['capabilities'] : undefined
  return {
    name: randomBytes(12).toString('base64url'),
    revision,
    capabilities: shortenCapabilities(isRecord(statedCapabilities) ? statedCapabilities : {}),
    expiresAtSeconds: Math.floor(Date.now() / 1000) + maxSessionSeconds,
  }
}

/** Creates a session id in visible ASCII. @param callerHash only a caller with the same credentials can use the id */
export function sealSessionState(sealer: Sealer, state: SessionState, callerHash: string): string {
  const { name, revision, capabilities, expiresAtSeconds } = state
  return sealer.seal(
    'session',
    { n: name, r: revision, c: capabilities, u: expiresAtSeconds },
    maxSessionSeconds,
    callerHash,
  )
}

/** Opens a session id; returns null if the id is not ours, belongs to another caller or has expired. */
export function openSessionState(sealer: Sealer, id: string, callerHash: string): SessionState | null {
  const value = sealer.open('session', id, callerHash)
  if (!isRecord(value)) return null
  const { n: name, r: revision, c: capabilities, u: expiresAtSeconds } = value
  if (typeof name !== 'string' || typeof expiresAtSeconds !== 'number') return null
  if (!isRevision(revision) || !isRecord(capabilities)) return null
  return isExpired({ expiresAtSeconds }) ? null : { name, revision, capabilities, expiresAtSeconds }
}

export const isExpired = ({ expiresAtSeconds }: Pick<SessionState, 'expiresAtSeconds'>) =>
  expiresAtSeconds * 1000 <= Date.now()

/** Creates the `initialize` request that leads to such a session. */
export const createInitializeRequest = ({ revision, capabilities }: SessionState) => ({
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: revision, capabilities, clientInfo: { name: 'revived', version: '0' } },
})

/** Returns all capabilities if their text is short, otherwise only those that the bridge may need. */
function shortenCapabilities(stated: ClientCapabilities): ClientCapabilities {
  if (isShort(stated)) return stated
  const modes = isRecord(stated['elicitation']) ? Object.keys(stated['elicitation']) : []
  const kinds = ['form', 'url'].filter((mode) => modes.includes(mode))
  const elicitation = Object.fromEntries(kinds.map((mode) => [mode, {}]))
  return {
    ...(isRecord(stated['elicitation']) && { elicitation }),
    ...(isRecord(stated['sampling']) && { sampling: {} }),
    ...(isRecord(stated['roots']) && { roots: {} }),
  }
}

function isShort(stated: ClientCapabilities): boolean {
  try {
    return JSON.stringify(stated).length <= maxCapabilitiesLength
  } catch (cause) {
    if (cause instanceof RangeError) return false
    throw cause
  }
}
