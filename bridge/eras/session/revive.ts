import { randomBytes } from 'node:crypto'
import { isRecord } from '../../../tools/openapi.ts'
import type { Capabilities } from '../../methods/call.ts'
import type { Sealer } from '../../seal.ts'
import { isRevision, type Revision } from './revisions.ts'

/** Everything that makes a session, so that each process can go on with it. */
export interface SessionState {
  /** Names the session among processes; says nothing to anybody else. */
  readonly name: string
  readonly revision: Revision
  /** What the client said it can do. */
  readonly capabilities: Capabilities
  /** Seconds since 1970 at which it ends, however much it is used. */
  readonly until: number
}

/** How long a session may last, in seconds. */
const life = 24 * 60 * 60

/** The most that a client's capabilities may take of a session id, in characters of JSON. */
const most = 512

export function newState(revision: Revision, params: unknown): SessionState {
  const stated = isRecord(params) ? params['capabilities'] : undefined
  return {
    name: randomBytes(12).toString('base64url'),
    revision,
    capabilities: kept(isRecord(stated) ? stated : {}),
    until: Math.floor(Date.now() / 1000) + life,
  }
}

/** A session id: visible ASCII. @param owner whoever has other credentials cannot use it */
export function sealState(sealer: Sealer, state: SessionState, owner: string): string {
  const { name, revision, capabilities, until } = state
  return sealer.seal('session', { n: name, r: revision, c: capabilities, u: until }, life, owner)
}

/** Null where the id is not one of ours, not this owner's, or over. */
export function openState(sealer: Sealer, id: string, owner: string): SessionState | null {
  const value = sealer.open('session', id, owner)
  if (!isRecord(value)) return null
  const { n: name, r: revision, c: capabilities, u: until } = value
  if (typeof name !== 'string' || typeof until !== 'number') return null
  if (!isRevision(revision) || !isRecord(capabilities)) return null
  return isOver({ until }) ? null : { name, revision, capabilities, until }
}

export const isOver = ({ until }: Pick<SessionState, 'until'>) => until * 1000 <= Date.now()

/** The `initialize` of which a session like this one comes. */
export const initializeOf = ({ revision, capabilities }: SessionState) => ({
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: revision, capabilities, clientInfo: { name: 'revived', version: '0' } },
})

/** All of them where they are short, else those that the bridge may ever need. */
function kept(stated: Capabilities): Capabilities {
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

function isShort(stated: Capabilities): boolean {
  try {
    return JSON.stringify(stated).length <= most
  } catch (cause) {
    if (cause instanceof RangeError) return false
    throw cause
  }
}
