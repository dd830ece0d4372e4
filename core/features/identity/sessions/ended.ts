import type { Caller } from '../../../kernel/caller.ts'
import type { Notices } from '../../../kernel/parts.ts'

/**
 * Where PostgreSQL says that a key, a session or a membership ended, or that it may do other things from now on. That a
 * remembered key has to be forgotten is told before it, as triggers run in the order of their names.
 */
const credentialNotices = 'credentials'

/** What ended or changed. `member`: the membership of the user `id` in an organization. */
type EndedCredential =
  | { kind: 'key'; id: string }
  | { kind: 'session'; id: string }
  | { kind: 'member'; id: string; organization: string }

/** Calls the listener for each credential that ended, in any process, as soon as its change is committed. @returns how to stop */
export function onCredentialEnded(notices: Notices, listener: (concerns: (caller: Caller) => boolean) => void): () => void {
  return notices.on(credentialNotices, (payload) => {
    // Empty: the connection to PostgreSQL was away, so anything may have ended.
    if (payload === '') return listener(({ kind }) => kind !== 'anonymous')
    const ended = JSON.parse(payload) as EndedCredential
    listener((caller) => concerns(ended, caller))
  })
}

function concerns(ended: EndedCredential, caller: Caller): boolean {
  if (caller.kind === 'anonymous') return false
  if (ended.kind === 'key') return caller.kind === 'key' && caller.id === ended.id
  if (ended.kind === 'session') return caller.kind !== 'key' && caller.session === ended.id
  return caller.kind === 'member' && caller.user === ended.id && caller.organization === ended.organization
}
