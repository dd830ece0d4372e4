import type { Caller } from '../../../kernel/caller.ts'
import type { Notices } from '../../../kernel/ports/notices.ts'

/**
 * The channel on which PostgreSQL announces that a key, a session or a membership has ended or has changed its
 * permissions, or that an organization was deleted. The notice that clears a cached key comes first, because triggers run in the order of their names.
 */
const credentialNoticeChannel = 'credentials'

/**
 * The credential that ended or changed. `member` is the membership of the user `id` in an organization, `organization`
 * every credential of that organization.
 */
type EndedCredential =
  | { kind: 'key'; id: string }
  | { kind: 'session'; id: string }
  | { kind: 'organization'; id: string }
  | { kind: 'member'; id: string; organization: string }

/**
 * Calls the listener for each credential that ended, in any process, as soon as the change is committed.
 * @returns a function that unsubscribes
 */
export function onCredentialEnded(
  notices: Notices,
  listener: (concerns: (caller: Caller) => boolean) => void,
): () => void {
  return notices.subscribe(credentialNoticeChannel, (payload) => {
    // An empty payload means that the connection to PostgreSQL was lost, so anything may have ended.
    if (payload === '') return listener(({ kind }) => kind !== 'anonymous')
    const ended = JSON.parse(payload) as EndedCredential
    listener((caller) => concernsCaller(ended, caller))
  })
}

function concernsCaller(ended: EndedCredential, caller: Caller): boolean {
  if (caller.kind === 'anonymous') return false
  if (ended.kind === 'key') return caller.kind === 'key' && caller.id === ended.id
  if (ended.kind === 'session') return caller.kind !== 'key' && caller.session === ended.id
  if (ended.kind === 'organization') return caller.organization === ended.id
  return caller.kind === 'member' && caller.user === ended.id && caller.organization === ended.organization
}
